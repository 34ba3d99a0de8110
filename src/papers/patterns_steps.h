// The steps of *patterns* in a region: access matrices and classes of each kernel, Algorithm 1 for
// memories, and Algorithm 2 for work groups over all ways to deal loops out to threads.
#pragma once
#include "papers/paper_region.h"

namespace nw::papers {

Lines patternsSteps(const PaperRegion &region);

} // namespace nw::papers
