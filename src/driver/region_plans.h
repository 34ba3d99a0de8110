// The plan of a region and the Kernels that come of it: proposed, given by the user, found by
// measuring, or asked for by a hint; and verified.
#pragma once
#include "driver/region_context.h"

namespace nw {

// Integer reductions may always be reordered, unless the source says seq; those of floating-point
// numbers not when strict.
void keepOrder(Program &program, FloatingPoint floatingPoint);

// Plans and lowers a scheduled region. Throws a Diagnostic where it leaves too little to run in
// parallel.
void toKernels(CompiledRegion &region, RegionContext &context);
// Throws what can be known before that.
void refuseUnfit(const CompiledRegion &region, RegionContext &context);

// The same region as number so-and-so of the file: names of kernels follow.
CompiledRegion numbered(CompiledRegion region, int number, RegionContext &context);

// The region that is kept, with the plan that is meant for it. A finding is a bug of ours: the nest
// stays on the host, its neighbours are not touched.
CompiledRegion verified(CompiledRegion region, const std::optional<openacc::ShareHint> &hint,
                        RegionContext &context);

} // namespace nw
