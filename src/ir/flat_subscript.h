// Flattened subscripts taken apart as trees: of A[(i + 1) * n + j], where rows have n elements, the
// row i + 1 and the column j in it, spelled as the source has them.
#pragma once
#include "ir/program.h"

namespace nw {

// Whether the cast changes nothing about what the integer means in sums and products of at least as
// many bits: subscripts are numbers of 64 bits, and so is what wraps around there.
bool isTransparent(const ExprP &cast);

// Trees for subscripts e0, e1, ... with ((e0 * sizes[0] + e1) * sizes[1] + ...) = `subscript`, one
// more than there are sizes; which of the terms belong to a row is told by the factors that they
// are written with, so that whether each stays below its size is to be asked elsewhere.
std::vector<ExprP> splitSubscript(const ExprP &subscript, const std::vector<ExprP> &sizes);

// Whether bodies have several subscripts where the source has one: the variable is as it was
// declared, the array has rows. That each subscript stays in its extent is assumed then, not
// promised by a declaration, and rows at the ends need not be whole.
inline bool isDelinearized(const Array &array) {
  return array.extents.size() > array.variable.extents.size() &&
         array.variable.extents.size() == 1 && array.kind == ArrayKind::Memory;
}

} // namespace nw
