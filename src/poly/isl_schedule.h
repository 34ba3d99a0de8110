// Scheduling by isl for groups that have no parallel loop as they are written: interchange,
// shifting, skewing, and wavefronts over a permutable band.
#pragma once
#include "poly/steps.h"

namespace nw {

// A step for the group, or nothing when isl finds no schedule within its limit of operations.
// `fuse`: statements that could be apart may share loops.
std::optional<Step> scheduleByIsl(const Program &program, const std::vector<size_t> &group,
                                  const Dependences &dependences, bool fuse);

} // namespace nw
