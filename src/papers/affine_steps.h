// The steps of *affine* in a region: reuse, Algorithm 1, other memories, copies, Algorithm 2, and
// its search by a model, in the paper's order.
#pragma once
#include "papers/paper_region.h"

namespace nw::papers {

Lines affineSteps(const PaperRegion &region);

} // namespace nw::papers
