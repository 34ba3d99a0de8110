// Registers of kernels whose blocks have whole rows (lower/fusion.h), undone. A thread has the
// columns lane, lane + threads, … of its block:
//
//   for (turn = 0; turn < many; turn++) { column = first + local.x + turn * threads; … }
//
// becomes a loop over the columns that threads share out among them; registers that hold elements
// of the row become these elements; and registers for sums, one for each column, become an array of
// the block's with an element for each column.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// The loop over rows, whose values are dealt out to blocks: for (rows = block.x; …; rows +=
// blocks.x). Null where there is none.
StmtP loopOverRows(const StmtP &body);

// Whether the variable of the kernel holds sums of columns.
bool isColumnSum(const Kernel &kernel, const std::string &variable);

// The code of a kernel of such blocks without its registers; what does not have the shape stays as
// it is.
StmtP withoutRowRegisters(const StmtP &body, const std::array<int, 3> &block);

} // namespace nw
