// Results of folds that all threads of a block have in a register, undone. In the loop over rows of
// a kernel (lower/join.h),
//
//   if (lane.x == 0) element = constant;  if (lane.x == 0) element = element op folded;  T known =
//   constant op folded;  … known for element …
//
// becomes the same with a barrier in place of `known`, and the element after it: memory holds there
// what the register has. Nothing else that threads do to memory in the loop may need the barrier,
// which is checked here.
#pragma once
#include "ir/tree.h"

namespace nw {

// The code without such registers; what does not have the form stays as it is. `rows` is the loop,
// a part of the body.
StmtP withoutForwardedResults(const StmtP &body, const StmtP &rows);

} // namespace nw
