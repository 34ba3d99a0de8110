// Which elements are to be in registers while a loop updates them again and again.
#pragma once
#include "ir/tree.h"

namespace nw {

// Makes a Keep (kernel/keep.h) of each loop whose body updates one fixed element, A[i][j] say, in
// every iteration and touches A in no other way. Loops that contain barriers are left alone: other
// threads may look there.
StmtP promoteAccumulators(const StmtP &body);

} // namespace nw
