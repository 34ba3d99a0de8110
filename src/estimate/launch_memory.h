// Launches that were estimated already. Other plans differ in one step; the kernels of the others
// come again, and so do those of a step whose tiles are launched whatever its plain form is.
#pragma once
#include "estimate/launch_estimate.h"

namespace nw {

class LaunchMemory {
public:
  // As estimateLaunch, which is asked where no launch so far had the same kernel, sizes, grid and
  // resources.
  const EstimatedLaunch &estimate(const Program &program, const Kernels &kernels,
                                  const Kernel &kernel,
                                  const std::map<std::string, int64_t> &values,
                                  const LaunchShape &shape, const KernelResources &resources,
                                  const DeviceSpec &device, const LaunchOptions &options);
  size_t size() const { return known.size(); }

private:
  std::map<std::string, EstimatedLaunch> known; // by all that an estimate depends on, as text
};

} // namespace nw
