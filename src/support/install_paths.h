// Where our own parts are. They are found from where the executable is, in the build tree and under
// any prefix.
#pragma once
#include <string>

namespace nw {

std::string executableDirectory();
std::string runtimeLibrary(); // libnestwarp_rt.a
std::string runtimeSources(); // the directory runtime/
std::string runnerProgram();  // nestwarp-run
// The directory of Clang's own headers: installed with us, or where it was when we were built.
std::string clangResources(const std::string &ofBuild);

} // namespace nw
