// The code of one statement instance, with its account of who wrote what it reads.
#pragma once
#include "check/record_layout.h"
#include "check/shadow_elements.h"

namespace nw {

// Hash of what was reduced into an element, for each operator another one: sums may be taken in any
// order among themselves, but not before products.
ExprP reducedShadow(ReductionKind kind, const ExprP &a, const ExprP &b);
// The shadow of a value to which nothing was reduced yet.
ExprP emptyReduction(ReductionKind kind);

inline const char *const kClock = "nw_clock"; // counts instances in the run in source order

// `instance` as the kernel has it, followed statement by statement beside the body in the Program.
StmtP instrumentedInstance(const Program &program, const ShadowElements &shadows,
                           const RecordLayout &layout, const StmtP &instance, bool isSource);

// Device functions that instrumented code calls.
std::vector<Function> shadowFunctions(const Program &program, const RecordLayout &layout);

} // namespace nw
