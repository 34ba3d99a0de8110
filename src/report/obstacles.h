// What blocks a faster kernel, in the user's terms: which reference, which loop, which line, and
// why the tool cannot do otherwise today.
#pragma once
#include "estimate/region_estimate.h"
#include "plan/facts.h"

namespace nw {

std::vector<std::string> obstaclesOf(const Program &program, const RegionPlan &plan,
                                     const Kernel &kernel, const EstimatedKernel &estimated,
                                     const DeviceSpec &device);

} // namespace nw
