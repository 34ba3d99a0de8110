// Loops whose values the threads of a block take in turns (see CyclicMapping), and variables that
// are dealt out with them (see Stmt::owners): element n of such a variable belongs to the thread
// that has value n of the loops, and is one of its registers.
#pragma once
#include "ir/tree.h"

namespace nw {

// The loop from `first` on (null: 0), for a block of so many threads along x.
StmtP cyclicLoop(const std::string &counter, const Type &type, const ExprP &first, int threads,
                 const CyclicMapping &mapping, const StmtP &body);

// A variable with a register for each value of such a loop.
StmtP dealtOut(const std::string &name, const Type &type, int threads,
               const CyclicMapping &mapping);

// Which value it is, from 0 on: counter - first.
ExprP positionIn(const Stmt &loop);

// Why loops or variables of the code are not mapped as they say, for a block of so many threads
// along x; empty: they are. Elements of such variables are those of the loop's value around them.
std::string wrongDealing(const StmtP &code, int threads);

// The code in plain statements: a thread's values one after the other, in an unrolled loop, its
// elements in an array of registers. Wrong loops stay.
StmtP withoutCyclicLoops(const StmtP &code);

} // namespace nw
