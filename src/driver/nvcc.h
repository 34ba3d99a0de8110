// NVIDIA's compiler, where this machine has it.
#pragma once
#include <string>

namespace nw {

// Its path: that of NESTWARP_NVCC (which may be empty: none), else from PATH or /usr/local/cuda;
// empty where there is none.
std::string nvccPath();
// As in "13.0"; empty where it does not say.
std::string nvccRelease(const std::string &compiler);
// Compiles CUDA text to a cubin; the options are separated by spaces. Empty where it fails, and
// then `said` has its words.
std::string nvccCubin(const std::string &compiler, const std::string &source,
                      const std::string &options, std::string &said);

} // namespace nw
