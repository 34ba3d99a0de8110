// Shared flags.
#include "cli/options.h"
#include "driver/compiler_flags.h"
#include "frontend/openacc/directives.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

FloatingPoint floatingPointOf(const std::string &word) {
  if (word == "strict")
    return FloatingPoint::Strict;
  if (word == "reduce")
    return FloatingPoint::Reduce;
  if (word == "fast")
    return FloatingPoint::Fast;
  throw UserError{"unknown --fp=" + word + "; expected strict, reduce or fast", kUsage};
}

void addCommonFlags(CLI::App &app, CommonFlags &flags, const std::vector<std::string> &policies) {
  std::set<std::string> known = {"default", "patterns"};
  known.insert(policies.begin(), policies.end());
  app.add_option(
         "--fp", flags.floatingPoint,
         "strict: every operation in order; reduce: reductions may be reordered; fast: fast math")
      ->check(CLI::IsMember({"strict", "reduce", "fast"}));
  app.add_option("--ffp-contract", flags.contraction, "off: never contract a*b + c")
      ->check(CLI::IsMember({"on", "off", "fast"}));
  app.add_option("--offload", flags.offload, "auto: decide at run time; always")
      ->check(CLI::IsMember({"auto", "always"}));
  app.add_option("-I", flags.includes, "directory of headers");
  app.add_option("-D", flags.definitions, "macro definition");
  app.add_flag("--fopenacc", flags.openacc,
               "OpenACC's directives are read (docs/openacc.md); also -fopenacc");
  app.add_option("--std", flags.standard, "language standard");
  app.add_option("--time-limit", flags.limits.seconds,
                 "seconds of processor time for the translation; nests that are not finished by "
                 "then stay on the host; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", flags.limits.mebibytes, "the same for memory, in MiB")
      ->check(CLI::NonNegativeNumber);
  addDeviceOption(app, flags.device);
  app.add_option("--coalesce", flags.coalesce,
                 "threads that walk along a row each bring strips of the rows through shared "
                 "memory: loads, stores or both; default: another mapping is looked for")
      ->check(CLI::IsMember({"loads", "stores", "both"}));
  app.add_option("--share", flags.share,
                 "share hints of OpenACC: predict, take their tiles where they are predicted to be "
                 "faster; obey, wherever they can be made")
      ->check(CLI::IsMember({"predict", "obey"}));
  app.add_flag("--no-staging", flags.noStaging, "no tiles: nothing is copied to shared memory");
  app.add_flag("--no-padding", flags.noPadding,
               "copies in shared memory have no unused elements against bank conflicts");
  app.add_flag("--no-register-tiles", flags.noRegisterTiles, "a thread has one point of a tile");
  app.add_option("--ilp", flags.ilp,
                 "values of its second dimension that a thread takes, where they share what they "
                 "read inside a loop; default: 1")
      ->check(CLI::Range(1, kMostPoints));
  app.add_option("--policy", flags.policy,
                 "what chooses the memories of arrays: default, by what the device gains; "
                 "patterns, by the classes of accesses alone")
      ->check(CLI::IsMember(known));
  app.add_flag("--no-renaming", flags.noRenaming,
               "no memory of nestwarp's own: arrays that are used again for other values keep "
               "loops in order");
  // What flags were called before.
  for (auto [old, now] :
       {std::pair{"--no-spread", "--no-block-reduction"}, std::pair{"--no-joining", "--no-fusion"}})
    app.add_flag_callback(
           old, [old, now] { throw UserError{fmt::format("{} is called {} now", old, now), 2}; })
        ->group("");
  app.add_flag("--no-block-reduction", flags.noBlockReduction,
               "each thread reduces on its own: no reduction inside a parallel loop is shared out "
               "among threads");
  app.add_flag("--no-fusion", flags.noFusion,
               "a kernel for each step: no two reductions over one array share what they read");
  app.add_flag_callback(
      "--no-ilp", [&flags] { flags.ilp = 1; },
      "one value of each dimension in a thread, whatever --ilp says");
  app.add_flag("--no-vectors", flags.noVectors,
               "single elements in every access: no wide loads and stores of a thread's "
               "neighbouring points");
  app.add_flag("-q,--quiet", flags.quiet, "no remarks about what stays on the host");
}

void apply(const CommonFlags &flags, CompileOptions &options) {
  options.floatingPoint = floatingPointOf(flags.floatingPoint);
  takeMeaning(meaningOf(flags.compiler), options);
  if (!flags.contraction.empty())
    options.contract = flags.contraction == "fast";
  options.device = deviceOf(flags.device);
  options.planning.ilp = flags.ilp;
  options.planning.tiles = {!flags.noStaging, !flags.noPadding, !flags.noRegisterTiles};
  options.planning.policy =
      flags.policy == "patterns" ? SpacePolicy::Patterns : SpacePolicy::Default;
  options.planning.coalesce = flags.coalesce;
  options.obeysShare = flags.share == "obey";
  options.renaming = !flags.noRenaming;
  options.planning.blockReduction = !flags.noBlockReduction;
  options.planning.fuse = !flags.noFusion;
  options.planning.vectors = !flags.noVectors;
  options.always = flags.offload == "always";
  options.openacc = flags.openacc;
  if (flags.openacc)
    options.arguments.push_back(openacc::kDefinition);
  for (const std::string &i : flags.includes)
    options.arguments.push_back("-I" + i);
  for (const std::string &d : flags.definitions)
    options.arguments.push_back("-D" + d);
  for (const std::string &s : flags.standard)
    options.arguments.push_back("-std=" + s);
}

namespace {

// Throws for the first argument that nobody takes, with the flag that may have been meant.
[[noreturn]] void refuseUnknown(const CLI::App &app) {
  std::string word = app.remaining().at(0), name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option *o : app.get_options())
    for (const std::string &l : o->get_lnames())
      known.push_back("--" + l);
  std::string near = word.starts_with("-") ? nearestTo(name, known) : "";
  throw UserError{fmt::format("{} '{}'{}; {} --help lists what there is",
                              word.starts_with("-") ? "unknown flag" : "unexpected argument", word,
                              near.empty() ? "" : fmt::format("; did you mean {}?", near),
                              app.get_name()),
                  kUsage};
}

} // namespace

int parse(CLI::App &app, std::vector<std::string> arguments, CommonFlags *flags) {
  if (flags)
    std::erase_if(arguments, [&](const std::string &a) {
      bool isCompilers = compilerFlag(a) != nullptr;
      if (isCompilers)
        flags->compiler.push_back(a);
      return isCompilers;
    });
  // CLI11 knows -std, -ffp-contract and -fopenacc only with two dashes.
  for (std::string &a : arguments)
    if (a.starts_with("-std=") || a.starts_with("-ffp-contract=") || a == "-fopenacc")
      a = "-" + a;
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ExtrasError &) {
    refuseUnknown(app);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? kDone : kUsage;
  }
  return -1;
}

} // namespace nw
