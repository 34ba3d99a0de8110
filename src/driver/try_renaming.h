// Memory of our own for values that keep loops in order only because they share memory.
#pragma once
#include "driver/region_context.h"

namespace nw {

// The region with as little memory of our own as makes loops parallel, lowered. Nothing where it
// does not help, or costs more than there is to spend: the region is taken as it is.
std::optional<CompiledRegion> tryRenaming(const CompiledRegion &plain, RegionContext &context);

} // namespace nw
