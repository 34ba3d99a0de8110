// nestwarp lint: what slows the kernels of a CUDA file down, as they are written.
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/guard.h"
#include "frontend/cuda/written_frontend.h"
#include "lint/lint.h"
#include "support/exit_status.h"
#include "support/nearest.h"
#include "support/text.h"
#include <cstdio>
#include <fmt/format.h>

namespace nw {

namespace {

struct LintFlags {
  std::string file, function, block, format = "text", output, device;
  std::vector<std::string> includes, definitions, standard, sizes;
  bool sarif = false;
  lint::Options options;
  Limits limits;
};

std::optional<int64_t> positive(const std::string &text) {
  if (text.empty() || text.size() > 12 ||
      text.find_first_not_of("0123456789") != std::string::npos || std::stoll(text) < 1)
    return std::nullopt;
  return std::stoll(text);
}

// 32x8 → 32, 8, 1
std::array<int64_t, 3> shapeOf(const std::string &text, const DeviceSpec &device) {
  std::array<int64_t, 3> shape = {1, 1, 1};
  size_t from = 0, axis = 0;
  for (; axis < 3; axis++) {
    size_t to = text.find('x', from);
    std::optional<int64_t> n =
        positive(text.substr(from, to == std::string::npos ? to : to - from));
    if (!n)
      break;
    shape[axis] = *n;
    if (to == std::string::npos) {
      if (shape[0] > device.blockLimit[0] || shape[1] > device.blockLimit[1] ||
          shape[2] > device.blockLimit[2] || shape[0] * shape[1] * shape[2] > device.blockThreads)
        throw UserError{
            fmt::format("--block {}: a block has at most {} threads", text, device.blockThreads),
            kUsage};
      return shape;
    }
    from = to + 1;
  }
  throw UserError{fmt::format("--block {}: expected X, XxY or XxYxZ, as in --block 32x8", text),
                  kUsage};
}

std::map<std::string, int64_t> sizesOf(const std::vector<std::string> &texts) {
  std::map<std::string, int64_t> sizes;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    std::optional<int64_t> value = equals != std::string::npos && equals > 0
                                       ? positive(text.substr(equals + 1))
                                       : std::nullopt;
    if (!value)
      throw UserError{fmt::format("--size {}: expected NAME=NUMBER, as in --size n=4096", text),
                      kUsage};
    sizes[text.substr(0, equals)] = *value;
  }
  return sizes;
}

// Mistakes must not look like findings.
template <class Work> int withOwnStatus(const Work &work) {
  try {
    return work();
  } catch (const UserError &e) {
    throw UserError{e.message, kUsage};
  }
}

// A size for a name that no kernel has is a mistake.
void refuseUnknownSizes(const written::File &file, const std::map<std::string, int64_t> &sizes) {
  std::vector<std::string> listed, known;
  for (const written::Kernel &k : file.kernels) {
    if (!k.unread.empty()) // its arguments may not be known
      return;
    std::vector<std::string> own;
    for (const written::Variable &v : k.variables)
      if (v.isParameter && v.isInteger && !v.isPointer)
        own.push_back(v.name);
    known.insert(known.end(), own.begin(), own.end());
    listed.push_back(k.name + " has " + (own.empty() ? "none" : joined(own, ", ")));
  }
  for (auto &[name, value] : sizes)
    if (!listed.empty() && !std::count(known.begin(), known.end(), name)) {
      std::string near = nearestTo(name, known);
      throw UserError{
          fmt::format("--size {}={}: no kernel has an integer argument of that name; {}{}", name,
                      value, joined(listed, "; "),
                      near.empty() ? "" : fmt::format("; did you mean {}?", near)),
          kUsage};
    }
}

int lintFile(const LintFlags &flags) {
  ParseRequest request;
  request.file = flags.file;
  request.function = flags.function;
  for (const std::string &i : flags.includes)
    request.arguments.push_back("-I" + i);
  for (const std::string &d : flags.definitions)
    request.arguments.push_back("-D" + d);
  for (const std::string &s : flags.standard)
    request.arguments.push_back("-std=" + s);
  readFile(flags.file); // so that the message is ours
  written::File file = readKernels(request);
  if (file.failed)
    return kUsage;
  if (!flags.function.empty() && file.kernels.empty())
    throw UserError{fmt::format("{} has no kernel '{}'", flags.file, flags.function), kUsage};
  refuseUnknownSizes(file, flags.options.sizes);
  lint::Findings found = lint::lint(file, flags.options);
  std::string text = flags.sarif || flags.format == "sarif" ? lint::toSarif(found, file)
                                                            : lint::toText(found, file);
  if (flags.output.empty())
    std::fputs(text.c_str(), stdout);
  else
    writeFile(flags.output, text);
  return lint::warningsIn(found) ? kFailed : kDone;
}

} // namespace

int lintCommand(const std::vector<std::string> &arguments) {
  CLI::App app{
      "Tells what slows the kernels of a CUDA file down, as they are written: uncoalesced "
      "accesses, bank conflicts, low occupancy, loads that could be spared, divergent conditions. "
      "Nothing is rewritten. Exit status: 0 no warnings, 1 warnings, 2 the file or the command "
      "line cannot be read.",
      "nestwarp lint"};
  LintFlags flags;
  app.add_option("file", flags.file, "CUDA source")->required();
  app.add_option("--block", flags.block,
                 "shape of a block, as in 32x8, instead of what launches and annotations tell");
  app.add_option("--size", flags.sizes,
                 "NAME=NUMBER for an integer argument of kernels; where they matter, others are "
                 "taken to be 1024, and the message says so");
  app.add_option("--registers", flags.options.registers,
                 "registers of a thread, as ptxas reports them, for occupancy")
      ->check(CLI::Range(1, 255));
  app.add_flag(
      "--accesses", flags.options.listAll,
      "list every access with its address and transactions, also those that are as they should be");
  app.add_option("--format", flags.format, "text or sarif")
      ->check(CLI::IsMember({"text", "sarif"}));
  app.add_flag("--sarif", flags.sarif, "the same as --format=sarif");
  app.add_option("-o,--output", flags.output, "file to write");
  app.add_option("--function", flags.function, "look at this kernel only");
  app.add_option("-I", flags.includes, "directory of headers");
  app.add_option("-D", flags.definitions, "macro definition");
  app.add_option("--std", flags.standard, "language standard");
  app.add_option("--time-limit", flags.limits.seconds, "seconds of processor time; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", flags.limits.mebibytes, "the same for memory, in MiB")
      ->check(CLI::NonNegativeNumber);
  addDeviceOption(app, flags.device);
  app.get_option("--device")
      ->description("device whose rules count: a name that `nestwarp devices` lists, or a file "
                    "FILE.json; default: " +
                    deviceCatalogue().front().title);
  if (int status = parse(app, arguments); status >= 0)
    return status;
  return withOwnStatus([&] {
    flags.options.device = deviceOf(flags.device).value_or(deviceCatalogue().front());
    if (!flags.block.empty())
      flags.options.block = shapeOf(flags.block, flags.options.device);
    flags.options.sizes = sizesOf(flags.sizes);
    GuardedEnd end = runGuarded(flags.limits, [&](Watch &, std::string &) {
      return withOwnStatus([&] { return lintFile(flags); });
    });
    int status = statusOf(end, flags.file);
    return !end.stopped.empty() && !end.crashed ? int(kUsage) : status;
  });
}

} // namespace nw
