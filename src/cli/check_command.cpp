// nestwarp check: original and generated code on the same inputs, every output compared. Floating-point outputs are
// held against a run of the original in a wider type. The driver that runs and compares is a process of its own; what
// it finds is put into words here.
#include "cli/check_bundle.h"
#include "cli/check_function.h"
#include "cli/check_poly.h"
#include "cli/commands.h"
#include "cli/guard.h"
#include "cli/options.h"
#include "cli/process.h"
#include "cli/tuned_plans.h"
#include "support/text.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

// Builds the three versions and the driver.
void buildAll(const Compilation &c, const CheckedFunction &f, const CompileOptions &o, const CheckSettings &s, const std::string &directory) {
  std::string source = fs::absolute(o.file), folder = fs::path(source).parent_path();
  std::vector<std::string> flags = o.arguments;
  flags.insert(flags.end(), {"-iquote", folder});
  if (c.isCuda)
    writeFile(source = directory + "/loops.c", c.text());
  writeFile(directory + "/rewritten.c", hostFile(c.text(), source, false, c.emitted()));
  std::map<std::string, std::string> texts = checkTexts(c, f, s, source, directory + "/rewritten.c", directory);
  for (auto &[name, text] : texts)
    writeFile(directory + "/" + name, text);
  if (buildLibrary("original", flags, directory, {}) || buildLibrary("generated", flags, directory, {directory + "/regions.nw.c", "-I" + runtimeSources(), runtimeLibrary()}) ||
      buildLibrary("wider", flags, directory, {}))
    throw UserError{"the C compiler refused the harness for " + f.signature.name};
  if (run({"cc", "-O1", "-w", directory + "/driver.c", "-o", directory + "/driver", "-ldl", "-lm"}))
    throw UserError{"the C compiler refused the driver for " + f.signature.name};
}

// Checks one function and says how it went.
Verdict checkFunction(const Compilation &c, const CheckedFunction &f, const CompileOptions &o, const CheckSettings &s) {
  ScratchDirectory scratch;
  buildAll(c, f, o, s, scratch.path);
  std::vector<CheckOutcome> outcomes;
  for (const std::string &data : dataFor(c, f, s)) {
    std::string path = fmt::format("{}/{}.report", scratch.path, data);
    writeFile(path, "");
    std::fflush(stdout);
    int status = run({scratch.path + "/driver", path, data});
    outcomes.push_back({data, status, readReport(readFile(path))});
  }
  return judge(c, f, outcomes, fs::path(o.file).filename());
}

// The exit status of the command.
int translateAndCheck(const CompileOptions &o, const CheckSettings &settings, bool poly, bool quiet, Watch &watch) {
  Compilation c = compile(o);
  watch.stop(); // the limits are for the translation, not for what it is compared with
  if (c.parsed.failed)
    return 1;
  if (c.parsed.isCxx)
    throw UserError{"check takes C files; for C++, write a main and compare its output"};
  if (!quiet)
    for (const Diagnostic &d : c.diagnostics)
      std::fputs(render(d, o.file, c.parsed.source).c_str(), stderr);
  int checked = 0;
  Verdict worst = Verdict::Same;
  for (const Signature &s : c.parsed.signatures) {
    if (!isCheckable(c, s))
      continue;
    checked++;
    try {
      CheckSettings own = settingsFor(settings, s.name);
      CheckedFunction f = describeFunction(c, s, own.extents);
      worst = std::max(worst, poly ? checkPoly(c, f, o, own.sizes) : checkFunction(c, f, o, own));
    } catch (const UserError &e) { // of this function; others may fare better
      std::printf("%s: not checked: %s\n", s.name.c_str(), e.message.c_str());
      worst = std::max(worst, Verdict::NothingRan);
    }
  }
  if (checked == 0)
    throw UserError{o.file + ": no function with an offloaded nest can be called for a check"};
  return worst == Verdict::Different ? 1 : worst == Verdict::NothingRan ? 3 : 0;
}

} // namespace

int checkCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Runs original and generated code on the same inputs and compares every output.", "nestwarp check"};
  CompileOptions options;
  CommonFlags flags;
  TunedFlags tuned;
  std::vector<std::string> sizes, extents;
  std::string data, bundle, import, cubins;
  std::vector<std::string> files;
  bool poly = false;
  app.add_option("file", files, "C source; with --bundle, several");
  app.add_option("--size", sizes, "value of an integer parameter, as in n=129, or mm.n=129 for one function");
  app.add_option("--extent", extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--data", data, "ordinary numbers; special: with NaN, infinities, denormals, zeros; both")->check(CLI::IsMember({"ordinary", "special", "both"}));
  app.add_flag("--poly", poly, "check that every dependence is kept, whatever the data");
  app.add_option("--bundle", bundle, "write a folder to be run by nestwarp-run on another machine, instead of running here");
  app.add_option("--cubin", cubins, "with --bundle: architectures for which kernels travel as cubins, too, as in sm_90,sm_80; none; default: that of --device, else sm_90");
  app.add_option("--import", import, "a bundle's folder: say what its results.json, or the file of results named, has found");
  app.add_option("--function", options.function, "check this function only");
  app.add_option("--plan", options.planFile, "take decisions from this file");
  addCommonFlags(app, flags);
  addTunedFlags(app, tuned);
  if (int status = parse(app, arguments); status >= 0)
    return status;
  apply(flags, options);
  options.always = true;
  useTunedPlans(options, tuned, numbersOf(sizes), options.device ? options.device->kind == DeviceKind::Cuda ? "cuda" : "opencl" : "");
  CheckSettings s{options.floatingPoint, numbersOf(sizes), settingsOf(extents), data};
  if (!import.empty())
    return importResults(import);
  if (files.empty() || (files.size() > 1 && bundle.empty()))
    throw UserError{files.empty() ? "name a C source" : "several sources go into a bundle; say --bundle DIR", 2};
  options.file = files[0];
  return statusOf(runGuarded(flags.limits, [&](Watch &watch, std::string &) {
    options.watch = &watch;
    return bundle.empty() ? translateAndCheck(options, s, poly, flags.quiet, watch) : writeCheckBundle(bundle, files, options, s, 0, cubins, watch);
  }), options.file);
}

} // namespace nw
