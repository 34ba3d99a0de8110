// Operations on numbers that wait for each other.
#pragma once
#include "ir/tree.h"

namespace nw {

// The longest chain in an expression. Divisions and functions count as several.
int heightOf(const ExprP &e);
// The chain from a use of the element to the result: what an iteration adds when the next one
// starts from its result. -1: the element is not used.
int pathTo(const ExprP &e, const ExprP &element);

} // namespace nw
