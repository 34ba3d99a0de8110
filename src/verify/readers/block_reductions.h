// Reductions that the threads of a block share out among them: each adds to a register of its own;
// a Reduce puts the registers of a row or a column of the block together; one thread brings the
// result to the target.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// Whether the threads of a row or a column of a block put this variable of the kernel together.
bool isBlockReduction(const Kernel &kernel, const std::string &variable);

// For instances of such reductions: they touch their target where the result is brought there, and
// everything else where they are.
void addTargets(const Program &program, PositionReport &report);

// A part of the check 'reductions'.
std::vector<Finding> checkBlockReductions(const Program &program, const Kernels &kernels,
                                          const PositionReport &report);

} // namespace nw
