// The small pieces of text that generated code leans on: macros of kernels, and the host side of
// stand-alone files.
#pragma once
#include "emit/dialect.h"

namespace nw {

// Definitions that the kernels in `body` use, and no others.
std::string kernelPrelude(const std::string &body, Language language, bool contract,
                          bool usesDouble);
// Everything a stand-alone .cu file needs to implement the region functions with the CUDA runtime.
std::string cudaHostPrelude();
// The same for a stand-alone C file over OpenCL.
std::string openclHostPrelude();

} // namespace nw
