// What the checks of rewritten Programs ask of two of them: whether what was not to change is as it
// was.
#pragma once
#include "ir/program.h"

namespace nw {

bool sameOrNone(const ExprP &a, const ExprP &b);
bool sameExprs(const std::vector<ExprP> &a, const std::vector<ExprP> &b);
bool sameCode(const StmtP &a, const StmtP &b);
bool sameReduction(const std::optional<Reduction> &a, const std::optional<Reduction> &b);
// The first access to the array; null where the statement does not touch it.
const Access *accessTo(const Statement &s, const std::string &array);
// But for the elements: the array, and how it is touched.
bool sameUse(const Access &a, const Access &b);
bool sameArray(const Array &a, const Array &b);
bool sameArrays(const Program &now, const Program &then);

// Parameters, what is assumed of them, scalars that are passed by value, and the first loops, all
// of `then`: there may be more of them now.
bool sameSurroundings(const Program &now, const Program &then);
// Each statement of `then` is there, and stands to each other as it did.
bool sameOrder(const Program &now, const Program &then);

} // namespace nw
