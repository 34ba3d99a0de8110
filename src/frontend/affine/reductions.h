// Recognises statements that only reduce values into one element: x += e, x = max(x, e), if (e < x)
// x = e, and so on.
#pragma once
#include "ir/program.h"

namespace nw {

std::optional<Reduction> findReduction(const StmtP &body);

// Throws a Diagnostic where a statement under a reduction clause touches the variable, and does not
// reduce it as the clause says.
void refuseWrongReductions(const Program &program);

} // namespace nw
