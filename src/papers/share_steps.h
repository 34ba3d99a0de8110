// The steps of *share* in a region without hints, so that all arrays are seeds: candidates, block
// shape and profit, removal of conflicts, factors of instruction-level parallelism.
#pragma once
#include "papers/paper_region.h"

namespace nw::papers {

Lines shareSteps(const PaperRegion &region);

} // namespace nw::papers
