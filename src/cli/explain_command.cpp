// nestwarp explain: why and how fast.
#include "check/check_function.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/compiler_report.h"
#include "driver/guard.h"
#include "driver/tuned_note.h"
#include "lower/lower.h"
#include "papers/steps.h"
#include "report/explanation.h"
#include "support/exit_status.h"
#include "support/text.h"
#include "tuner/tuned_plans.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace nw {

namespace {

struct ExplainFlags {
  std::string format = "text", registers = "auto", mix = "auto", output;
  std::vector<std::string> sizes;
  std::string policy;
  std::vector<int> groupSizes;
  std::vector<std::string> given;
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

// fma=1 → fma, 1
std::map<std::string, double> figuresOf(const std::vector<std::string> &texts) {
  std::map<std::string, double> figures;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    std::string name = text.substr(0, equals),
                number = equals == std::string::npos ? "" : text.substr(equals + 1);
    char *end = nullptr;
    double value = std::strtod(number.c_str(), &end);
    if (!std::ranges::count(papers::givenNames(), name) || number.empty() || *end || !(value >= 0))
      throw UserError{fmt::format("--given {}: expected NAME=NUMBER, where NAME is one of {}", text,
                                  joined(papers::givenNames(), ", ")),
                      kUsage};
    figures[name] = value;
  }
  return figures;
}

// Registers of a thread that --registers gives; 0: it names who is to be asked.
int givenRegisters(const ExplainFlags &flags) {
  return int(wholeNumber(flags.registers).value_or(0));
}

// What a paper's algorithms find in the region, with a budget of isl's operations of their own.
std::vector<std::string> stepsOf(const papers::Paper &paper, const CompiledRegion &r,
                                 const Compilation &c, const DeviceSpec &device,
                                 const ExplainFlags &flags, const EstimatedRegion &estimated,
                                 const std::vector<Alternative> &others,
                                 const std::map<std::string, int64_t> &sizes) {
  int registers = 0;
  bool isMeasured = false;
  for (const EstimatedKernel &k : estimated.kernels)
    if (k.resources.registers > registers) {
      registers = k.resources.registers;
      isMeasured = k.resources.isMeasured;
    }
  if (int given = givenRegisters(flags))
    registers = given;
  papers::Question question{{r.program, r.dependences, r.schedule, r.plan, device, sizes,
                             c.emitOptions.floatingPoint != FloatingPoint::Strict, registers,
                             givenRegisters(flags) ? "given"
                             : isMeasured          ? "by the compiler"
                                                   : "by the model",
                             figuresOf(flags.given), flags.groupSizes},
                            estimated,
                            r.kernels,
                            others};
  isl_ctx_reset_operations(r.program.isl->get().get());
  try {
    return papers::stepsBy(paper, question);
  } catch (const isl::exception &) {
    return {"it takes more isl operations than one nest may use"};
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
    if (int given = givenRegisters(flags))
      own.registers = given;
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
  if (const papers::Paper *paper = papers::paperOf(flags.policy))
    x.steps = stepsOf(*paper, r, c, planned, flags, estimated, others.all, sizes);
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
  if (const papers::Paper *paper = papers::paperOf(flags.policy))
    all.paper = fmt::format("{}: {}", paper->name, paper->title);
  for (const CompiledRegion &r : c.regions)
    all.regions.push_back(
        explained(r, c, device, options.device.value_or(commonDevice()), flags, report));
  all.host = c.diagnostics;
  std::string text = flags.format == "json" ? toJson(all)
                     : !all.paper.empty()   ? toSteps(all)
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
                 "auto: from nvcc where it is installed; model: never ask it; or how many a thread "
                 "has")
      ->check(CLI::IsMember({"auto", "model"}) | CLI::Range(1, 255));
  app.add_option("--group-sizes", own.groupSizes,
                 "threads of the work groups that --policy=patterns compares, the largest first; "
                 "default: all powers of two")
      ->delimiter(',');
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
  std::vector<std::string> policies;
  for (const papers::Paper &p : papers::allPapers())
    policies.push_back(p.name);
  addCommonFlags(app, flags, policies);
  app.add_option("--given", own.given,
                 "NAME=NUMBER for --policy=NAME: a figure of the paper's in the place of the "
                 "model's (docs/papers.md)");
  app.get_option("--policy")
      ->description("default: what the plan is and how fast; the name of a paper (docs/papers.md): "
                    "the steps of its algorithms, what was a candidate, what was refused and why, "
                    "what it would choose on this device");
  addTunedFlags(app, tuned);
  app.get_option("--device")
      ->description("device to plan for and to estimate: a name that `nestwarp devices` lists, or "
                    "a file FILE.json; default: plans within the limits that all portable devices "
                    "share, and their times on the " +
                    deviceCatalogue().front().title);
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  apply(flags, options);
  own.policy = flags.policy;
  figuresOf(own.given);
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
