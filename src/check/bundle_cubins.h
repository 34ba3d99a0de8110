// Kernels of a bundle as cubins, made here, so that the other machine needs no compiler for them.
#pragma once
#include "driver/pipeline.h"
#include "tune/bundle.h"

namespace nw {

// The architectures to compile for: those named (`word` of --cubin; "none": none), else the
// device's, else sm_90.
std::vector<std::string> cubinArchitectures(const std::string &word,
                                            const std::optional<DeviceSpec> &device);

// One job's kernels: CUDA text and what it is to be compiled with.
struct KernelSource {
  std::string text;
  EmitOptions options;
};

// A cubin for each text and architecture, where nvcc is here and takes it. Says once what is
// missing.
BundleCubins makeCubins(const std::vector<KernelSource> &sources,
                        const std::vector<std::string> &architectures);

} // namespace nw
