// Which of a block's numbers the conditions of a kernel need.
//
// Where no condition needs more than one of them, blocks (0, 0), (1, 1), … that take the same way
// through the code tell that all blocks between them do: each number has been seen, and none of
// the conditions asks how numbers meet.
#pragma once
#include "ir/program.h"

namespace nw {

// Whether each comparison, and each other condition, depends on the block's number along at most
// one axis. Values in memory are data, and the same for all blocks here. A function that is called
// with a block's number may ask anything.
bool needsOneAxis(const StmtP &body, const std::vector<Function> &functions);

} // namespace nw
