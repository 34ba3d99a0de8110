// Loops that a row of the block's threads share out from the beginning of a line of memory on (see
// LineMapping): whole lines are read together, whatever the element that the loop begins with.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// Why such loops of the kernel are not mapped as they say; empty: they are.
std::string wrongLines(const Kernel &kernel);

// What is computed where such a loop begins, beyond what it says: the least and the largest value,
// and the number of elements. They have to fit their types.
std::vector<ExprP> lineValues(const Loop &loop);

// The code in plain statements: threads begin in the line of the first value, at or before it, and
// ask in a first turn whether their value is one of the loop's.
StmtP withFirstTurns(const StmtP &code);

} // namespace nw
