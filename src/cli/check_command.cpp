// nestwarp check: original and generated code on the same inputs, every output compared.
// Floating-point outputs are held against a run of the original in a wider type. The driver that
// runs and compares is a process of its own; what it finds is put into words here.
#include "check/build_versions.h"
#include "check/check_bundle.h"
#include "check/check_function.h"
#include "check/check_poly.h"
#include "check/check_promises.h"
#include "check/setting_names.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/guard.h"
#include "frontend/c/record_accesses.h"
#include "poly/promises.h"
#include "support/exit_status.h"
#include "support/process.h"
#include "support/text.h"
#include "tuner/tuned_plans.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

// Runs the driver with one set of sizes, on each kind of data.
std::vector<CheckOutcome> outcomesOf(const std::vector<std::string> &kinds, size_t number,
                                     const std::string &directory) {
  std::vector<CheckOutcome> outcomes;
  for (const std::string &data : kinds) {
    std::string path = fmt::format("{}/{}.report", directory, data);
    writeFile(path, "");
    std::fflush(stdout);
    int status = run({directory + "/driver", path, data, "0", std::to_string(number)});
    outcomes.push_back({data, status, readReport(readFile(path))});
  }
  return outcomes;
}

// Checks one function, with each set of sizes, and says how it went.
Verdict checkFunction(const Compilation &c, const CheckedFunction &f, const CompileOptions &o,
                      const std::vector<CheckSettings> &runs, const RecordedSource *recorded,
                      const std::string &shared) {
  ScratchDirectory scratch;
  std::string broken = scratch.path + "/broken";
  CheckSettings all = runs[0];
  all.sizes = sizesOfRuns(runs);
  buildVersions(c, f, o, all, recorded ? &recorded->text : nullptr, scratch.path, shared,
                hasSmallSizes(f, runs));
  writeFile(broken, "");
  setenv("NESTWARP_PROMISES", broken.c_str(), 1);
  Verdict verdict = Verdict::Same;
  for (size_t k = 0; k < runs.size(); k++)
    verdict = std::max(verdict,
                       judge(c, f, outcomesOf(dataFor(c, f, all), k, scratch.path),
                             fs::path(o.file).filename(), f.signature.name + runInWords(runs, k)));
  if (!recorded)
    return verdict;
  std::vector<std::string> lines = brokenPromises(readFile(broken));
  for (const std::string &line : lines)
    std::printf("  promise broken: %s\n", line.c_str());
  if (lines.empty())
    std::printf("  %s: promises hold on these data\n", f.signature.name.c_str());
  return lines.empty() ? verdict : Verdict::Different;
}

// The file with its accesses recorded, and what is to be said of that.
RecordedSource recordedSource(const CompileOptions &o) {
  RecordedSource made =
      recordAccesses({o.file, o.arguments, o.function, o.text, nullptr, o.openacc});
  if (made.loops == 0)
    throw UserError{o.file + ": no loop is promised to be independent" +
                    (o.openacc ? "" : "; did you mean -fopenacc?")};
  if (made.unseen > 0)
    std::printf("%d accesses in macros are not recorded\n", made.unseen);
  return made;
}

// Made-up data would name one position for several threads, which is a mistake in CUDA: what comes
// of it can be anything.
void refuseScatters(const Compilation &c, const std::string &function) {
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.isOnDevice && r.program.region.function == function)
      for (const Statement &s : r.program.statements)
        for (const Access &a : s.accesses)
          if (a.isWrite && isPromised(r.program.arrays.at(a.array)) &&
              !a.relation.is_single_valued())
            throw UserError{fmt::format(
                "which elements of '{}' a thread stores depends on data, and with made-up data "
                "threads would collide; check it with --poly, or compare runs on your own data",
                a.array)};
}

// The exit status of the command.
int translateAndCheck(const CompileOptions &o, const std::vector<CheckSettings> &settings,
                      bool poly, bool promises, bool quiet, Watch &watch) {
  Compilation c = compile(o);
  watch.stop(); // the limits are for the translation, not for what it is compared with
  if (c.parsed.failed)
    return kFailed;
  if (c.parsed.isCxx)
    throw UserError{"check takes C files; for C++, write a main and compare its output"};
  if (!quiet)
    for (const Diagnostic &d : c.diagnostics)
      std::fputs(render(d, o.file, c.parsed.source).c_str(), stderr);
  SettingNames names;
  names.add(c);
  names.refuseOthers("--size", settings[0].sizes);
  names.refuseOthers("--extent", settings[0].extents);
  std::optional<RecordedSource> recorded;
  if (promises)
    recorded = recordedSource(o);
  ScratchDirectory shared; // by all functions
  int checked = 0;
  Verdict worst = Verdict::Same;
  for (const Signature &s : c.parsed.signatures) {
    if (!isCheckable(c, s))
      continue;
    checked++;
    try {
      std::vector<CheckSettings> own;
      for (const CheckSettings &run : settings)
        own.push_back(settingsFor(run, s.name));
      CheckedFunction f = describeFunction(c, s, own[0].extents);
      if (!poly)
        refuseScatters(c, s.name);
      worst = std::max(
          worst, poly ? checkPoly(c, f, o, own)
                      : checkFunction(c, f, o, own, recorded ? &*recorded : nullptr, shared.path));
    } catch (const UserError &e) { // of this function; others may fare better
      std::printf("%s: not checked: %s\n", s.name.c_str(), e.message.c_str());
      worst = std::max(worst, Verdict::NothingRan);
    }
  }
  if (checked == 0)
    throw UserError{o.file + ": no function with an offloaded nest can be called for a check"};
  return statusOf(worst);
}

} // namespace

int checkCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Runs original and generated code on the same inputs and compares every output.",
               "nestwarp check"};
  CompileOptions options;
  CommonFlags flags;
  TunedFlags tuned;
  std::vector<std::string> sizes, extents;
  std::string data, bundle, import, cubins;
  std::vector<std::string> files;
  bool poly = false, promises = false;
  app.add_option("file", files, "C or CUDA source; with --bundle, several");
  app.add_option("--size", sizes,
                 "value of an integer parameter, as in n=129, or mm.n=129 for one function; "
                 "several values, as in n=1,33,200, are so many runs of one translation");
  app.add_option("--extent", extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--data", data,
                 "ordinary numbers; special: with NaN, infinities, denormals, zeros; both")
      ->check(CLI::IsMember({"ordinary", "special", "both"}));
  app.add_flag("--poly", poly, "check that every dependence is kept, whatever the data");
  app.add_flag("--check-promises", promises,
               "record the accesses of the original, and report iterations of a loop promised to "
               "be independent that are not");
  app.add_option(
      "--bundle", bundle,
      "write a folder to be run by nestwarp-run on another machine, instead of running here");
  app.add_option("--cubin", cubins,
                 "with --bundle: architectures for which kernels travel as cubins, too, as in "
                 "sm_90,sm_80; none; default: that of --device, else sm_90");
  app.add_option(
      "--import", import,
      "a bundle's folder: say what its results.json, or the file of results named, has found");
  app.add_option("--function", options.function, "check this function only");
  app.add_option("--plan", options.planFile, "take decisions from this file");
  addCommonFlags(app, flags);
  addTunedFlags(app, tuned);
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  apply(flags, options);
  options.always = true;
  std::vector<CheckSettings> runs;
  for (const auto &numbers : numbersByRun(sizes))
    runs.push_back({options.floatingPoint, numbers, settingsOf(extents), data});
  // One translation has one plan: that for the last of several sizes.
  useTunedPlans(options, tuned, runs.back().sizes,
                options.device ? options.device->kind == DeviceKind::Cuda ? "cuda" : "opencl" : "");
  if (!import.empty())
    return importResults(import);
  if (files.empty() || (files.size() > 1 && bundle.empty()))
    throw UserError{files.empty() ? "name a C source" : "several sources need --bundle DIR",
                    kUsage};
  if (runs.size() > 1 && !bundle.empty())
    throw UserError{"a bundle runs one set of sizes; --size takes no lists with --bundle", kUsage};
  if (promises && (poly || !bundle.empty()))
    throw UserError{
        "--check-promises runs here, on data; it cannot be combined with --poly or --bundle",
        kUsage};
  options.file = files[0];
  return statusOf(
      runGuarded(flags.limits,
                 [&](Watch &watch, std::string &) {
                   options.watch = &watch;
                   return bundle.empty()
                              ? translateAndCheck(options, runs, poly, promises, flags.quiet, watch)
                              : writeCheckBundle(bundle, files, options, runs[0], 0, cubins, watch);
                 }),
      options.file);
}

} // namespace nw
