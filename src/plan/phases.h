// Phases of a block over its rows: loops over the same values, one after the other, of which one
// takes what another has left. The threads of a block, or each row of them, share out each loop,
// with barriers in between; private variables that all of them use are in shared memory, one for
// each row of threads. Softmax and norms are such rows.
#pragma once
#include "plan/block_reduction.h"

namespace nw {

// Whether threads can share out the loops of the pieces, although these have more than reductions.
// Where threads meet, the pieces become phases: it says where barriers are and which variables are
// shared. False where iterations of one loop depend on each other beyond reductions, or a variable
// is neither the block's nor a thread's.
bool makePhases(const Program &program, const Step &step, BlockReductionParts &parts);

// Whether what a block of so many threads along x and y has in common fits into its shared memory.
bool fitsSharedMemory(const BlockReductionParts &parts, const std::vector<int> &block,
                      const DeviceSpec &device);

// Adds to the plan that blocks have a row each where rows are long, and that warps have where they
// are short. `fewest` and `most`: how many values the loop has, as far as that is known.
void proposePhases(const BlockReductionParts &parts, int64_t fewest, std::optional<int64_t> most,
                   const DeviceSpec &device, KernelPlan &kernel);

} // namespace nw
