// Keeps an element that a loop updates again and again in a register: loaded before the loop,
// stored after it.
#pragma once
#include "ir/tree.h"

namespace nw {

// Rewrites loops whose body updates one fixed element, A[i][j] say, in every iteration and touches
// A in no other way. Loops that contain barriers are left alone: other threads may look there.
StmtP promoteAccumulators(const StmtP &body);

} // namespace nw
