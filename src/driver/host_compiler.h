// The system's compilers: cc and c++, or what NESTWARP_CC and NESTWARP_CXX name.
#pragma once
#include <string>
#include <vector>

namespace nw {

// Runs the C or the C++ compiler with these arguments and returns its exit status. Throws UserError
// when it cannot be started.
int runCompiler(bool cxx, const std::vector<std::string> &arguments);

} // namespace nw
