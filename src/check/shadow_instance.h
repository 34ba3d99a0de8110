// The code of one statement instance, with its account of who wrote what it reads.
#pragma once
#include "check/record_layout.h"
#include "check/shadow_places.h"

namespace nw {

// Hash of what was folded into a place, for each operator another one: sums may be taken in any
// order among themselves, but not before products.
ExprP foldedShadow(ReductionKind kind, const ExprP &a, const ExprP &b);
// The shadow of a value to which nothing was folded yet.
ExprP emptyFold(ReductionKind kind);

inline const char *const kClock = "nw_clock"; // counts instances in the run in source order

// `instance` as the kernel has it, followed statement by statement beside the body in the Program.
StmtP instrumentedInstance(const Program &program, const ShadowPlaces &shadows,
                           const RecordLayout &layout, const StmtP &instance, bool isSource);

// Device functions that instrumented code calls.
std::vector<Function> shadowFunctions(const Program &program, const RecordLayout &layout);

} // namespace nw
