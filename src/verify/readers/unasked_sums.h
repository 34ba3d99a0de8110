// Sums of columns that are computed without asking whether the column is there (see isSpeculated).
#pragma once
#include "ir/tree.h"
#include <set>

namespace nw {

// Conditions of columns that nobody asks, where that is harmless: sums of registers alone are
// computed, and whoever takes a sum asks the same.
std::set<const Stmt *> unaskedSums(const StmtP &body);

} // namespace nw
