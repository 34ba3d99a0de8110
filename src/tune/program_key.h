// What a tuning result belongs to: a hash of everything about a region that plans depend on, and of
// nothing else, so that results are found again when lines are added above it, or the file is
// renamed.
#pragma once
#include "emit/kernel_text.h"
#include "ir/program.h"
#include "plan/planner.h"

namespace nw {

// `contract`: whether a*b + c may be contracted.
std::string programKey(const Program &program, FloatingPoint floatingPoint, bool contract,
                       const PlanOptions &planning);

} // namespace nw
