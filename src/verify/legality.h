// Checks that run after every lowering: the schedule keeps all dependences, and every instance is executed exactly
// once. A failure is a bug of nestwarp, never the user's.
#pragma once
#include "poly/steps.h"
#include "verify/finding.h"

namespace nw {

// Every dependence (but those between instances of a reduction that is folded) goes forward in time, or stays in one thread.
std::vector<Finding> checkDependences(const Program &program, const Dependences &dependences, const Schedule &schedule);
// Every instance of every statement stands at exactly one place of the schedule.
std::vector<Finding> checkCoverage(const Program &program, const Schedule &schedule);
// Affine subscripts stay inside arrays whose extents are known.
std::vector<Finding> checkBounds(const Program &program);

} // namespace nw
