// x = x && e and x = x || e under a reduction clause. They are reductions of bits where x is 0 or
// 1, and they make it so: what is reduced is x = x & (e ? -1 : 0) or x = x | (e ? 1 : 0), after x =
// x != 0 where anything is reduced at all. Each e is computed then, as the clause allows.
#pragma once
#include "ir/tree.h"
#include <optional>
#include <string>

namespace nw {

// The step of the reduction as one of bits; nothing where the statement is not a x = x && e (or ||)
// with an integer x.
std::optional<StmtP> reductionOfBits(const StmtP &s, const ReductionClause &clause);

// Whether the loop's body mentions the variable in one such step only.
bool isLogicalReduction(const StmtP &body, const ReductionClause &clause);

// x = x != 0; nothing where x has no other values.
std::optional<StmtP> madeTruth(const StmtP &body, const ReductionClause &clause);

// The tree with the same steps, that compute each e as the reductions of bits do: what they touch
// is what the verifier holds kernels against.
StmtP withEagerReductions(const StmtP &s);

} // namespace nw
