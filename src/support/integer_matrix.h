// Small matrices of integers: access functions and schedules. Exact.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nw {

using IntegerRow = std::vector<int64_t>;
using IntegerMatrix = std::vector<IntegerRow>; // of rows of one length

int rankOf(const IntegerMatrix &matrix);

// Rows that are orthogonal to all rows of the matrix and, with them, span the whole space of
// `columns` dimensions. Without common divisors, the first entry that is not zero positive.
IntegerMatrix orthogonalComplement(const IntegerMatrix &matrix, int columns);

} // namespace nw
