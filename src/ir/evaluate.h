// The value of an integer expression where its variables are known.
#pragma once
#include "ir/tree.h"
#include <map>

namespace nw {

// Nothing where a variable is not in `values`, an operation is not one of integers, or C leaves the
// result undefined.
std::optional<int64_t> evaluate(const ExprP &e, const std::map<std::string, int64_t> &values);

} // namespace nw
