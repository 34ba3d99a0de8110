// Where our own parts are.
#include "support/install_paths.h"
#include "support/diagnostics.h"
#include <filesystem>

namespace nw {

namespace fs = std::filesystem;

namespace {

std::string firstOf(std::initializer_list<std::string> candidates, const char *what) {
  for (const std::string &c : candidates)
    if (fs::exists(c))
      return fs::weakly_canonical(c).string();
  throw UserError{std::string("cannot find ") + what +
                  " from where nestwarp is; was it moved without its other files?"};
}

} // namespace

std::string executableDirectory() {
  return fs::read_symlink("/proc/self/exe").parent_path().string();
}

std::string runtimeLibrary() {
  std::string here = executableDirectory();
  return firstOf({here + "/libnestwarp_rt.a", here + "/../lib/nestwarp/libnestwarp_rt.a"},
                 "libnestwarp_rt.a");
}

std::string runtimeSources() {
  std::string here = executableDirectory();
  return fs::path(firstOf({here + "/share/nestwarp/runtime/nestwarp_rt.h",
                           here + "/../share/nestwarp/runtime/nestwarp_rt.h"},
                          "nestwarp_rt.h"))
      .parent_path();
}

std::string runnerProgram() {
  return firstOf({executableDirectory() + "/nestwarp-run"}, "nestwarp-run");
}

std::string clangResources(const std::string &ofBuild) {
  return firstOf({executableDirectory() + "/../lib/nestwarp/clang", ofBuild},
                 "the headers of Clang 22");
}

} // namespace nw
