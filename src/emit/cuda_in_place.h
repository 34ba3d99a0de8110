// CUDA in, CUDA out: the user's file with optimized kernels beside its own, and launches that take them where what they assume holds.
#pragma once
#include "emit/host_text.h"
#include "ir/cuda_kernel.h"

namespace nw {

// A kernel of the file and what was made of it.
struct OptimizedKernel {
  CudaKernel kernel;
  EmittedRegion region;
};

// The file's text with everything put in. What is not a launch of one of the kernels, nor an annotation, stays byte for byte.
std::string cudaInPlace(const std::string &source, const std::vector<OptimizedKernel> &kernels, const std::vector<CudaLaunch> &launches, const std::vector<TextRange> &annotations,
                        const EmitOptions &options);

} // namespace nw
