// Loops of which the device's compiler is asked to take several iterations at once.
#pragma once
#include "ir/tree.h"

namespace nw {

// The code with the innermost loops of a thread's own asked to be unrolled by that many; those that
// say a number themselves, or are unrolled whole, stay as they are.
StmtP withUnrolledLoops(const StmtP &code, int many);

} // namespace nw
