// One launch, from its kernel's tree to the model of time.
#pragma once
#include "analysis/time_model.h"
#include "analysis/traffic.h"
#include "estimate/inner_loop.h"
#include "estimate/kernel_walk.h"
#include "estimate/resources.h"

namespace nw {

struct EstimatedLaunch {
  LaunchShape shape;
  KernelWalk walk; // with the compiler's mix of its inner loop, where that is known
  std::optional<InnerLoop> innerLoop;
  std::vector<Traffic> traffic; // of walk.references; shared memory has none
  LaunchWork work;
  std::vector<LaunchEstimate> phases; // code between two barriers of the grid, each for all times
                                      // it is run; the barriers last, if there are any
  LaunchEstimate estimate;
};

struct LaunchOptions {
  WalkOptions walk;
  bool isWarm = false; // everything the region touches is in the second-level cache already
};

EstimatedLaunch estimateLaunch(const Program &program, const Kernels &kernels, const Kernel &kernel,
                               const std::map<std::string, int64_t> &values,
                               const LaunchShape &shape, const KernelResources &resources,
                               const DeviceSpec &device, const LaunchOptions &options = {});

} // namespace nw
