// The code that a device runs, without what kernels say about it: places instead of what they hold, and speculated code without its condition.
#pragma once
#include "ir/tree.h"

namespace nw {

StmtP asEmitted(const StmtP &code);

// As the device's compiler takes it: loops unrolled where that was asked for, arrays of a thread in registers where numbers select them.
StmtP asCompiled(const StmtP &code);

} // namespace nw
