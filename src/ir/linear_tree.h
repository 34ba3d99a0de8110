// Linear sums read from trees, and spelled as trees.
#pragma once
#include "ir/tree.h"
#include "support/linear_sum.h"

namespace nw {

// Nothing where the expression is more than that, or computes in a type that may wrap or is too
// short.
std::optional<LinearSum> linearSumOf(const ExprP &e);
// The sum as an expression of the type, positive terms first.
ExprP expressionOf(const LinearSum &sum, const Type &type);

// x + 3 as x and 3, of any x; 0 where no number is added.
std::pair<ExprP, int64_t> splitNumber(const ExprP &e);
// e + 3, e - 3; e itself for 0.
ExprP plusNumber(const ExprP &e, int64_t number, const Type &type);

// The first and the last value of a counter that goes by ones from number to number.
std::optional<std::pair<int64_t, int64_t>> numbersOf(const Loop &loop);

} // namespace nw
