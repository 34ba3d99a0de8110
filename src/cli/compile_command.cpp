// nestwarp compile: source to source, and every stage printable.
#include "check/check_function.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/guard.h"
#include "driver/stage_text.h"
#include "driver/tuned_note.h"
#include "emit/cuda_in_place.h"
#include "frontend/openacc/directives.h"
#include "plan/plan_reference.h"
#include "support/exit_status.h"
#include "support/text.h"
#include "tuner/tuned_plans.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace {

// For the compiler that gets the host file: it takes the branches that were translated, with
// -fopenacc of its own or without.
std::string openaccDefinition(const CompileOptions &options) {
  return options.openacc
             ? fmt::format("#ifndef _OPENACC\n#define _OPENACC {}\n#endif\n", openacc::kVersion)
             : "";
}

// mm.cu → mm.host.c; mm.cl.c → mm.host.c
std::string besidePath(const std::string &output, const std::string &extension) {
  std::filesystem::path p(output);
  std::string stem = p.filename().string().substr(0, p.filename().string().find('.'));
  return (p.parent_path() / (stem + extension)).string();
}

// CUDA in, CUDA out: one file. One in which nothing was understood comes out as it went in, without
// its annotations.
void writeCuda(const Compilation &c, const CompileOptions &options, const std::string &output) {
  std::error_code none;
  if (std::filesystem::weakly_canonical(output, none) ==
      std::filesystem::weakly_canonical(options.file, none))
    throw UserError{"the output would replace " + options.file};
  if (isCudaInPlace(c.parsed.source))
    throw UserError{options.file + ": nestwarp compile wrote this file, so every name would be "
                                   "defined twice; give the original file"};
  std::vector<OptimizedKernel> all;
  for (const EmittedRegion &r : c.emitted())
    for (const CudaKernel &k : c.kernels)
      if (k.function == r.program->region.function)
        all.push_back({k, r});
  writeFile(output, cudaInPlace(c.parsed.source, {all, c.launches, c.annotations, c.macros},
                                c.emitOptions));
  std::fprintf(stderr, "nestwarp: wrote %s (%zu kernel%s)\n", output.c_str(), all.size(),
               all.size() == 1 ? "" : "s");
}

struct Wanted {
  std::string target, output, emit, planOutput;
};

int translate(const CompileOptions &options, const CommonFlags &flags, const Wanted &wanted) {
  Compilation c = compile(options);
  if (c.parsed.failed)
    return kFailed;
  for (const Diagnostic &d : c.diagnostics)
    if (!flags.quiet)
      std::fputs(render(d, options.file, c.parsed.source).c_str(), stderr);
  if (!flags.quiet)
    sayTuned(c);
  if (!wanted.planOutput.empty())
    writeFile(wanted.planOutput, planText(c));
  if (!wanted.emit.empty()) {
    std::string text = stageText(c, wanted.emit);
    if (wanted.output.empty())
      std::fputs(text.c_str(), stdout);
    else
      writeFile(wanted.output, text);
    return 0;
  }
  if (wanted.output.empty() && !wanted.planOutput.empty())
    return 0;
  if (wanted.output.empty())
    throw UserError{"nothing to write: give -o FILE, or --emit=STAGE", kUsage};
  if (c.isCuda) {
    if (wanted.target != "cuda")
      throw UserError{"a CUDA file becomes a CUDA file; --emit=opencl prints its kernels", kUsage};
    writeCuda(c, options, wanted.output);
    return 0;
  }
  if (c.regions.empty())
    throw UserError{options.file + ": no nest can be offloaded, so nothing was written"};
  std::string host =
      besidePath(wanted.output, ".host" + std::filesystem::path(options.file).extension().string());
  std::string device = besidePath(wanted.output, ".device.h");
  if (std::filesystem::weakly_canonical(host) == std::filesystem::weakly_canonical(options.file))
    throw UserError{"the host file would replace " + options.file};
  writeFile(wanted.output, wanted.target == "cuda" ? cudaFile(c.emitted(), c.emitOptions)
                                                   : openclFile(c.emitted(), c.emitOptions));
  try {
    EmitOptions hostOptions = c.emitOptions;
    hostOptions.compiledElsewhere = true;
    writeFile(host,
              openaccDefinition(options) + hostFile(c.parsed.source, options.file, c.parsed.isCxx,
                                                    c.emitted(), hostOptions));
    writeFile(device, deviceHeader(c.emitted(), c.emitOptions));
  } catch (const UserError &) { // one without the other is of no use
    std::filesystem::remove(wanted.output);
    std::filesystem::remove(host);
    throw;
  }
  std::fprintf(stderr, "nestwarp: wrote %s, %s and %s (%zu region%s)\n", wanted.output.c_str(),
               host.c_str(), device.c_str(), c.regions.size(), c.regions.size() == 1 ? "" : "s");
  return 0;
}

} // namespace

int compileCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Source to source: GPU kernels behind C entry points, and the original file with "
               "calls in place of its nests.",
               "nestwarp compile"};
  CompileOptions options;
  CommonFlags flags;
  TunedFlags tuned;
  std::vector<std::string> sizes;
  std::string target = "cuda", output, emit, planOutput;
  app.add_option("file", options.file, "C, C++ or CUDA source")->required();
  app.add_option("--target", target, "cuda or opencl")->check(CLI::IsMember({"cuda", "opencl"}));
  app.add_option("-o,--output", output, "file to write; the host file goes beside it");
  app.add_option("--emit", emit,
                 "print a stage instead: program, deps, schedule, facts, plan, kernels, cuda or "
                 "opencl; program@PASS and kernels@PASS print what a pass left");
  app.add_option("--plan", options.planFile, "take decisions from this file (see --emit=plan)");
  app.add_option("--plan-out", planOutput, "write the decisions to this file, for --plan");
  app.add_option("--function", options.function, "take this function only, and always offload it");
  app.add_flag("--line-info", options.lines,
               "kernels name the lines of the source, for profilers (build with nvcc -lineinfo)");
  app.add_option("--size", sizes,
                 "value of an integer parameter, as in n=4096: of several tuned plans, the one for "
                 "the nearest sizes is taken");
  addCommonFlags(app, flags);
  addTunedFlags(app, tuned);
  if (std::ranges::count(arguments, "--emit=plan-fields")) { // of no file
    std::fputs(planReference().c_str(), stdout);
    return 0;
  }
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  apply(flags, options);
  if (!emit.empty())
    refuseUnknownStage(emit);
  options.keepsHistory = needsHistory(emit);
  options.isForSchedule = isOfSchedule(emit) && planOutput.empty() && options.planFile.empty();
  useTunedPlans(options, tuned, numbersOf(sizes),
                options.device && options.device->kind != DeviceKind::Cuda ? "opencl"
                : emit == "opencl"                                         ? "opencl"
                                                                           : target);
  return statusOf(runGuarded(flags.limits,
                             [&](Watch &watch, std::string &) {
                               options.watch = &watch;
                               return translate(options, flags, {target, output, emit, planOutput});
                             }),
                  options.file);
}

} // namespace nw
