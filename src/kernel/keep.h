// Elements of arrays in registers while a loop updates them again and again: the node, what it
// becomes, and what it means. (scalar replacement)
#pragma once
#include "kernel/kernel.h"
#include <set>

namespace nw {

// The loop, where the guard holds, with these elements in registers: loaded before it, stored after
// it. The loop mentions the elements as they are.
StmtP keepStmt(ExprP guard, std::vector<ExprP> elements, StmtP loop);

// What a Keep has in registers.
std::vector<ExprP> keptElements(const Stmt &keep);

// What is wrong with the node by itself, in words that follow "registers"; nothing where all is
// well: there is one loop, it has no further registers inside, and what it keeps are elements.
std::string wrongKeep(const Stmt &keep);

// Whether the loop runs at all: its condition at the first value.
ExprP whetherItRuns(const Loop &loop);

// a && b && c as its parts.
std::vector<ExprP> conjunctsOf(const ExprP &condition);

// { T A_kept = A[i][j]; the loop with A_kept; A[i][j] = A_kept; } where there are Keeps. No
// register has a name that the code has for something else, or one of `taken`. The same code
// where there are none; wrong ones stay.
StmtP withKeptRegisters(const StmtP &code, std::set<std::string> taken = {});

// The same, with registers called as no parameter is.
Kernel withKeptRegisters(Kernel kernel);

// What Keeps mean: the loops with the elements in memory, where the guards hold. A guard that only
// asks whether its loop runs says nothing.
StmtP withoutKeeps(const StmtP &code);

} // namespace nw
