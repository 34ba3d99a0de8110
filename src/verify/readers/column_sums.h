// Sums of columns in kernels whose blocks have whole rows: each block adds up its rows in an array
// of its own, one element for each column, and leaves the elements in a buffer; the threads along y
// of the next kernel take those of all blocks, a column at a time.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// The loop over rows, whose values are dealt out to blocks: for (rows = block.x; …; rows +=
// blocks.x). Null where there is none.
StmtP loopOverRows(const StmtP &body);

// Whether the variable of the kernel holds sums of columns.
bool isColumnSum(const Kernel &kernel, const std::string &variable);

// The code as it is read: without registers that stand for elements of memory.
StmtP codeOf(const Kernel &kernel);

// Whether the kernel takes sums of columns that blocks of another have left.
bool takesColumnSums(const Kernels &kernels, const Kernel &kernel);

// The instances of such a reduction touch their target where the next kernel brings the result
// there.
bool addColumnTarget(const Program &program, PositionReport &report, SchedulePosition &position,
                     const std::string &variable);

// A part of the check 'reductions': what is wrong with the sums of columns in the array `variable`
// of the kernel, or nothing.
std::string wrongColumnSum(const Program &program, const Kernels &kernels,
                           const PositionReport &report, const Kernel &kernel,
                           const std::string &variable);

} // namespace nw
