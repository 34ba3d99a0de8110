// nestwarp explain: why and how fast.
#include "check/check_function.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/compiler_report.h"
#include "driver/guard.h"
#include "driver/tuned_note.h"
#include "lower/lower.h"
#include "report/explanation.h"
#include "support/exit_status.h"
#include "support/text.h"
#include "tuner/tuned_plans.h"
#include <cstdio>
#include <fmt/format.h>

namespace nw {

namespace {

struct ExplainFlags {
  std::string format = "text", registers = "auto", mix = "auto", output;
  std::vector<std::string> sizes;
  int samples = WalkOptions{}.samples;
  bool noAlternatives = false, verbose = false;
};

// n=4096 → n, 4096
std::map<std::string, int64_t> sizesOf(const std::vector<std::string> &texts) {
  std::map<std::string, int64_t> sizes;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    std::optional<int64_t> value = equals != std::string::npos && equals > 0
                                       ? wholeNumber(text.substr(equals + 1))
                                       : std::nullopt;
    if (!value)
      throw UserError{fmt::format("--size {}: expected NAME=NUMBER, as in --size n=4096", text),
                      kUsage};
    sizes[text.substr(0, equals)] = *value;
  }
  return sizes;
}

// A size for a name that no region has is a mistake, or belongs to another function.
void refuseUnknownSizes(const Compilation &c, const std::map<std::string, int64_t> &sizes) {
  for (auto &[name, value] : sizes) {
    bool isKnown = c.regions.empty();
    std::string known;
    for (const CompiledRegion &r : c.regions)
      for (const Parameter &s : r.kernels.scalars)
        if (r.program.region.variables.count(s.name) && s.type.isInteger()) {
          isKnown |= s.name == name;
          if ((", " + known + ", ").find(", " + s.name + ", ") == std::string::npos)
            known += (known.empty() ? "" : ", ") + s.name;
        }
    if (!isKnown)
      throw UserError{
          fmt::format(
              "--size {}: no region depends on an integer of that name; the regions depend on {}",
              name, known.empty() ? "none" : known),
          kUsage};
  }
}

// Patterns of the region's kernels, with a budget of isl's operations of their own; none where that
// does not suffice.
std::vector<KernelPatterns> patternsOf(const CompiledRegion &r) {
  isl_ctx_reset_operations(r.program.isl->get().get());
  try {
    return kernelPatterns(r.program, r.schedule, r.plan);
  } catch (const isl::exception &) {
    return {};
  }
}

ExplainedRegion explained(const CompiledRegion &r, const Compilation &c, const DeviceSpec &device,
                          const DeviceSpec &planned, const ExplainFlags &flags,
                          const CompilerReport &report) {
  std::vector<std::string> assumed;
  std::map<std::string, int64_t> sizes =
      completeSizes(r.program, r.kernels, sizesOf(flags.sizes), assumed);
  ResourcesOf resources = [&](const Kernel &k) {
    auto found = report.kernels.find(k.name);
    KernelResources own =
        found != report.kernels.end() ? found->second : modelledResources(r.program, k, device);
    if (flags.mix == "model")
      own.loops.clear();
    return own;
  };
  LaunchMemory memory;
  RegionOptions options;
  options.memory = &memory;
  options.walk = {flags.samples,
                  c.emitOptions.contract && c.emitOptions.floatingPoint != FloatingPoint::Strict};
  options.hostSamples = flags.samples ? 5 : 0;
  isl_ctx_reset_operations(r.program.isl->get().get());
  Relower relower = [&](const Plan &plan) {
    return lower(r.program, r.dependences, r.schedule, plan, planned);
  };
  EstimatedRegion estimated =
      estimateRegion(r.program, r.kernels, sizes, device, resources, options);
  Alternatives others;
  if (!flags.noAlternatives)
    others = estimateAlternatives(r.program, {r.plan, r.facts}, r.kernels, relower, sizes, device,
                                  resources, options);
  ExplainedRegion x = explain(r.program, {r.plan, r.facts}, r.kernels, estimated, others.all,
                              device, patternsOf(r));
  x.where = r.where;
  x.share = r.share;
  x.assumed = assumed;
  for (const Parameter &s : r.kernels.scalars)
    if (auto v = sizes.find(s.name); v != sizes.end() && r.program.region.variables.count(s.name))
      x.sizes.insert(*v);
  return x;
}

int explainFile(const CompileOptions &options, const ExplainFlags &flags) {
  DeviceSpec device = options.device.value_or(deviceCatalogue().front());
  std::map<std::string, int64_t> sizes = sizesOf(flags.sizes); // mistakes are said before the work
  Compilation c = compile(options);
  if (c.parsed.failed)
    return kFailed;
  refuseUnknownSizes(c, sizes);
  sayTuned(c);
  Explanation all;
  all.file = options.file;
  all.device = device;
  CompilerReport report;
  if (flags.registers == "auto" && device.kind == DeviceKind::Cuda)
    report = compilerReport(c.emitted(), c.emitOptions, device.architecture);
  all.compiler = report.compiler;
  for (const CompiledRegion &r : c.regions)
    all.regions.push_back(
        explained(r, c, device, options.device.value_or(commonDevice()), flags, report));
  all.host = c.diagnostics;
  std::string text = flags.format == "json" ? toJson(all)
                     : flags.verbose        ? toText(all)
                                            : toSummary(all);
  if (flags.output.empty())
    std::fputs(text.c_str(), stdout);
  else
    writeFile(flags.output, text);
  return 0;
}

} // namespace

int explainCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Tells for each kernel how it is mapped, what its accesses cost, how long it would "
               "take, what holds it back and which other plans there are.",
               "nestwarp explain"};
  CompileOptions options;
  CommonFlags flags;
  ExplainFlags own;
  TunedFlags tuned;
  app.add_option("file", options.file, "C, C++ or CUDA source")->required();
  app.add_option("--size", own.sizes,
                 "NAME=NUMBER for an integer of the source; others are taken to be 1024");
  app.add_flag("--verbose", own.verbose,
               "all that is known: loops, every access, limits and plans of each kernel");
  app.add_option("--format", own.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--registers", own.registers,
                 "auto: from nvcc where it is installed; model: never ask it")
      ->check(CLI::IsMember({"auto", "model"}));
  app.add_option("--mix", own.mix,
                 "auto: instructions of inner loops from nvcc's PTX where it is asked; model: from "
                 "the kernel's tree")
      ->check(CLI::IsMember({"auto", "model"}));
  app.add_option(
         "--samples", own.samples,
         "warps, blocks and iterations that are looked at along each dimension; 0: all of them")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--no-alternatives", own.noAlternatives, "the plan that is taken, and no other");
  app.add_option("-o,--output", own.output, "file to write");
  app.add_option("--plan", options.planFile,
                 "take decisions from this file (see compile --emit=plan)");
  app.add_option("--function", options.function, "look at this function only");
  addCommonFlags(app, flags);
  addTunedFlags(app, tuned);
  app.get_option("--device")
      ->description("device to plan for and to estimate: a name that `nestwarp devices` lists, or "
                    "a file FILE.json; default: plans within the limits that all portable devices "
                    "share, and their times on the " +
                    deviceCatalogue().front().title);
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  apply(flags, options);
  sizesOf(own.sizes); // mistakes are said in the words of this command
  useTunedPlans(options, tuned, settingsOf(own.sizes),
                options.device.value_or(deviceCatalogue().front()).kind == DeviceKind::Cuda
                    ? "cuda"
                    : "opencl");
  return statusOf(runGuarded(flags.limits,
                             [&](Watch &watch, std::string &) {
                               options.watch = &watch;
                               return explainFile(options, own);
                             }),
                  options.file);
}

} // namespace nw
