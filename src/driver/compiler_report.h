// Registers, spills, shared memory and inner loops of kernels from the real compiler, where nvcc is
// installed.
#pragma once
#include "emit/kernel_text.h"
#include "estimate/resources.h"

namespace nw {

struct CompilerReport {
  std::string
      compiler; // its path and the architecture; empty: there is none, or it refused the text
  std::map<std::string, KernelResources> kernels;
};

// Compiles the CUDA text of the regions for the architecture (sm_90), within a time limit. Never
// throws.
CompilerReport compilerReport(const std::vector<EmittedRegion> &regions, const EmitOptions &options,
                              const std::string &architecture);

} // namespace nw
