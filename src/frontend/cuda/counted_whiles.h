// while loops that count: int i = START; while (i < n) { …; i += blockDim.x * gridDim.x; } is a for
// loop that goes on by as many threads as there are.
#pragma once
#include "ir/tree.h"

namespace nw {

// The code with such loops as for loops. Numbers of launches, such as blockDim.x, are variables
// with a point in their name.
StmtP withCountedWhiles(const StmtP &code);

} // namespace nw
