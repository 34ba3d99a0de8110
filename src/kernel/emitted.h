// The code that a device runs, without what kernels say about it: elements instead of what they
// hold, and speculated code without its condition.
#pragma once
#include "ir/tree.h"

namespace nw {

StmtP asEmitted(const StmtP &code);

// As the device's compiler takes it: loops unrolled where that was asked for, arrays of a thread in
// registers where numbers select them.
StmtP asCompiled(const StmtP &code);

// How often a loop runs, where its bounds tell: from a number, or from its start by a number.
std::optional<int64_t> knownTrips(const Stmt &loop);

} // namespace nw
