// Registers that stand for an element during a loop (kernel/promote makes them), undone: T kept =
// element; a loop that uses `kept`; element = kept. The result computes the same, provided that
// nothing else looks at the array meanwhile, which is checked here.
#pragma once
#include "ir/tree.h"

namespace nw {

// The code with elements in place of registers; what does not have the shape above stays as it is.
StmtP withoutKeptRegisters(const StmtP &code);

} // namespace nw
