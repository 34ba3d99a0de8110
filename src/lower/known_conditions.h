// Conditions of a statement's body that are the same for all points of a tile: c ? a : b becomes a
// or b.
#pragma once
#include "ir/tree.h"
#include "support/isl_tools.h"

namespace nw {

// `context` says what is known of the variables that instances use. Operands of other conditions
// are not touched.
StmtP withoutKnownConditions(const StmtP &code, const isl::set &context);

} // namespace nw
