// Results of reductions that all threads of a block have in a register, undone. In the loop over
// rows of a kernel (lower/fusion.h),
//
//   if (local.x == 0) element = constant;  if (local.x == 0) element = element op reduced;  T known
//   = constant op reduced;  … known for element …
//
// becomes the same with a barrier in place of `known`, and the element after it: memory holds there
// what the register has. Nothing else that threads do to memory in the loop may need the barrier,
// which is checked here.
#pragma once
#include "ir/tree.h"

namespace nw {

// The code without such registers; what does not have the shape stays as it is.
StmtP withoutForwardedResults(const StmtP &body);

} // namespace nw
