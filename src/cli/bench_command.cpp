// nestwarp bench: checks and times functions. It always goes through a bundle; without --bundle,
// one of its own that is run here.
#include "check/check_bundle.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/guard.h"
#include "support/exit_status.h"
#include "support/process.h"
#include "tuner/tuned_plans.h"
#include <fmt/format.h>

namespace nw {

int benchCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Times the generated code: each region as a whole, inputs and outputs on the "
               "device, and each kernel. Every result is checked first.",
               "nestwarp bench"};
  CompileOptions options;
  CommonFlags flags;
  std::vector<std::string> sizes, extents, files;
  std::string bundle, import, on, cubins;
  TunedFlags tuned;
  int repeats = 20;
  app.add_option("file", files, "C and CUDA sources");
  app.add_option("--size", sizes,
                 "value of an integer parameter, as in n=129, or mm.n=129 for one function");
  app.add_option("--extent", extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--repeats", repeats, "calls that are timed")->check(CLI::Range(1, 200));
  app.add_option("--on", on, "the device of this machine to run on, as in NESTWARP_DEVICE");
  app.add_option(
      "--bundle", bundle,
      "write a folder to be run by nestwarp-run on another machine, instead of running here");
  app.add_option("--cubin", cubins,
                 "with --bundle: architectures for which kernels travel as cubins, too, as in "
                 "sm_90,sm_80; none; default: that of --device, else sm_90");
  app.add_option(
      "--import", import,
      "a bundle's folder: print what its results.json, or the file of results named, has");
  app.add_option("--function", options.function, "time this function only");
  app.add_option("--plan", options.planFile, "take decisions from this file");
  addCommonFlags(app, flags);
  addTunedFlags(app, tuned);
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  if (!import.empty())
    return importResults(import);
  if (files.empty())
    throw UserError{"name a C source", kUsage};
  apply(flags, options);
  options.always = true;
  useTunedPlans(options, tuned, numbersOf(sizes),
                options.device ? options.device->kind == DeviceKind::Cuda ? "cuda" : "opencl" : "");
  CheckSettings settings{options.floatingPoint, numbersOf(sizes), settingsOf(extents), "ordinary"};
  ScratchDirectory scratch;
  std::string folder = bundle.empty() ? scratch.path + "/bundle" : bundle;
  int status =
      statusOf(runGuarded(flags.limits,
                          [&](Watch &watch, std::string &) {
                            options.watch = &watch;
                            return writeCheckBundle(folder, files, options, settings, repeats,
                                                    bundle.empty() ? "none" : cubins,
                                                    watch); // here, the runtime compiles
                          }),
               files[0]);
  if (status || !bundle.empty())
    return status;
  std::vector<std::string> line = {runnerProgram(), folder};
  if (!on.empty())
    line.push_back("--device=" + on);
  int ran = run(line);
  return ran > 1 ? ran : importResults(folder);
}

} // namespace nw
