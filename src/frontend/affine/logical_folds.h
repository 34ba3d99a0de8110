// x = x && e and x = x || e under a reduction clause. They are folds of bits where x is 0 or 1, and
// they make it so: what is folded is x = x & (e ? -1 : 0) or x = x | (e ? 1 : 0), after x = x != 0
// where anything is folded at all. Each e is computed then, as the clause allows.
#pragma once
#include "ir/tree.h"
#include <optional>
#include <string>

namespace nw {

// The step of the fold as one of bits; nothing where the statement is not a x = x && e (or ||) with
// an integer x.
std::optional<StmtP> foldOfBits(const StmtP &s, const FoldClause &clause);

// Whether the loop's body mentions the variable in one such step only.
bool isLogicalFold(const StmtP &body, const FoldClause &clause);

// x = x != 0; nothing where x has no other values.
std::optional<StmtP> madeTruth(const StmtP &body, const FoldClause &clause);

// The tree with the same steps, that compute each e as the folds of bits do: what they touch is
// what the verifier holds kernels against.
StmtP withEagerFolds(const StmtP &s);

} // namespace nw
