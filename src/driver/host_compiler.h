// The system's compilers: cc and c++, or what NESTWARP_CC and NESTWARP_CXX name.
#pragma once
#include "driver/compiler_flags.h"
#include <string>
#include <vector>

namespace nw {

// Runs the C or the C++ compiler with these arguments and returns its exit status. Throws UserError
// when it cannot be started.
int runCompiler(bool cxx, const std::vector<std::string> &arguments);

// What flags mean for this compiler, those that NESTWARP_CC or NESTWARP_CXX names first.
CompilerMeaning compilerMeaning(bool cxx, const std::vector<std::string> &flags);

} // namespace nw
