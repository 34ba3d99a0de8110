// CUDA in, CUDA out: the user's file with optimized kernels beside its own, and launches that take
// them where what they assume holds.
#pragma once
#include "emit/host_text.h"
#include "ir/cuda_kernel.h"

namespace nw {

// A kernel of the file and what was made of it.
struct OptimizedKernel {
  CudaKernel kernel;
  EmittedRegion region;
};

// What there is to change in a file.
struct CudaChanges {
  std::vector<OptimizedKernel> kernels;
  std::vector<CudaLaunch> launches;
  std::vector<TextRange> annotations;
  MacroNames macros; // must not reach what is put in
};

// What the host's side of such a file needs, once.
std::string cudaInPlacePrelude();

// Whether a file has something put in already.
bool isCudaInPlace(const std::string &source);

// The file's text with everything put in. What is not a launch of one of the kernels, nor an
// annotation, stays byte for byte.
std::string cudaInPlace(const std::string &source, const CudaChanges &changes,
                        const EmitOptions &options);

} // namespace nw
