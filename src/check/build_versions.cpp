// Three libraries and a driver.
#include "check/build_versions.h"
#include "check/check_harness.h"
#include "check/check_promises.h"
#include "driver/guard.h"
#include "driver/host_compiler.h"
#include "support/exit_status.h"
#include "support/install_paths.h"
#include "support/text.h"
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

void buildVersions(const Compilation &c, const CheckedFunction &f, const CompileOptions &o,
                   const CheckSettings &s, const std::string *recorded,
                   const std::string &directory, const std::string &shared, bool quick) {
  std::string source = fs::absolute(o.file), folder = fs::path(source).parent_path();
  std::vector<std::string> flags = o.arguments;
  if (quick)
    flags.insert(flags.begin(), "-O0");
  flags.insert(flags.end(), {"-iquote", folder});
  if (c.isCuda)
    writeFile(source = directory + "/loops.c", c.text());
  writeFile(directory + "/rewritten.c", hostFile(c.text(), source, false, c.emitted()));
  std::map<std::string, std::string> texts =
      checkTexts(c, f, s, source, directory + "/rewritten.c", directory);
  std::optional<std::string> original =
      recorded ? promiseRecorder() + fmt::format("#line 1 \"{}\"\n", source) + *recorded
               : guardedSource(c, o, source);
  if (original) {
    writeFile(directory + "/guarded.c", *original);
    texts["original.c"] =
        checkTexts(c, f, s, directory + "/guarded.c", directory + "/rewritten.c", directory)
            .at("original.c");
  }
  std::string regions = texts.extract("regions.nw.c").mapped();
  for (auto &[name, text] : texts)
    writeFile(directory + "/" + name, text);
  if (buildLibrary("original", flags, directory, {}) ||
      buildLibrary(
          "generated", flags, directory,
          {regionsObject(regions, flags, shared), "-I" + runtimeSources(), runtimeLibrary()}) ||
      buildLibrary("wider", flags, directory, {}))
    throw UserError{"the C compiler refused the harness for " + f.signature.name};
  if (runCompiler(false, {quick ? "-O0" : "-O1", "-w", directory + "/driver.c", "-o",
                          directory + "/driver", "-ldl", "-lm"}))
    throw UserError{"the C compiler refused the driver for " + f.signature.name};
}

} // namespace nw
