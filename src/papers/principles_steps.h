// What *principles* says of each kernel: its instruction mix and what that could reach, what it
// asks of memory, which resource limits the blocks of a multiprocessor, and the next cliff.
#pragma once
#include "estimate/region_estimate.h"
#include "papers/paper_region.h"

namespace nw::papers {

Lines principlesSteps(const EstimatedRegion &estimated, const Kernels &kernels,
                      const PaperRegion &region);

// The fewest registers of a thread from which on a multiprocessor holds fewer blocks; 0: there are
// none that a thread may have.
int nextCliff(const BlockNeeds &block, const DeviceSpec &device);

} // namespace nw::papers
