// Phases of a block over a row: loops over the same values, one after the other, of which one takes
// what another has left. The threads of a block share out each, with barriers in between; private
// variables that all of them use are in shared memory. Softmax and norms are such rows.
#pragma once
#include "plan/block_reduction.h"

namespace nw {

// Whether threads can share out the loops of the pieces, although these have more than reductions.
// Where threads meet, the pieces become phases: it says where barriers are and which variables are
// shared. False where iterations of one loop depend on each other beyond reductions, or a variable
// is neither the block's nor a thread's.
bool makePhases(const Program &program, const Step &step, BlockReductionParts &parts);

// Whether what a block of so many threads has in common fits into its shared memory.
bool fitsSharedMemory(const BlockReductionParts &parts, int threads, const DeviceSpec &device);

// Values of the loop from which on a block has a row. Below, its threads would have little to do.
// On the H200, softmax of 65536 rows of 128 elements took 0.119 ms by blocks, 0.318 by threads.
constexpr int kFewestInPhases = 128;

// Adds to the plan that blocks have a row each.
void proposePhases(const BlockReductionParts &parts, const DeviceSpec &device, KernelPlan &kernel);

} // namespace nw
