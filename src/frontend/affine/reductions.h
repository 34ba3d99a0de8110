// Recognises statements that only fold values into one place: x += e, x = max(x, e), if (e < x) x = e, and so on.
#pragma once
#include "ir/program.h"

namespace nw {

std::optional<Reduction> findReduction(const StmtP &body);

} // namespace nw
