// The CUDA front end: parses a .cu file with Clang, takes every kernel that it understands as loops
// over its threads, and finds the launches. This header is the only one of it that the rest sees;
// it names nothing of Clang.
#pragma once
#include "frontend/c/c_frontend.h"
#include "ir/cuda_kernel.h"

namespace nw {

struct CudaFile {
  ParsedFile parsed; // one sequence for each kernel, with the loops as its only item; signatures
                     // are those of the loops' functions
  std::vector<CudaKernel> kernels;    // one for each sequence, in the same order
  std::vector<CudaLaunch> launches;   // of those kernels
  std::vector<TextRange> annotations; // to be left out of what is written
  MacroNames macros;
};

// Whether a file is CUDA: by its name, or since the arguments say so.
bool isCudaFile(const std::string &file, const std::vector<std::string> &arguments);

CudaFile parseCuda(const ParseRequest &request);

} // namespace nw
