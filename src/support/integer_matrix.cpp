// Elimination without fractions.
#include "support/integer_matrix.h"
#include <cstdlib>
#include <numeric>
#include <utility>

namespace nw {

namespace {

void reduce(IntegerRow &row) {
  int64_t common = 0, sign = 0;
  for (int64_t value : row) {
    common = std::gcd(common, value);
    sign = sign ? sign : value;
  }
  if (common > 0)
    for (int64_t &value : row)
      value /= sign < 0 ? -common : common;
}

// Reduced echelon form without zero rows; the column of each row's first entry.
std::vector<size_t> eliminate(IntegerMatrix &matrix) {
  std::vector<size_t> pivots;
  size_t columns = matrix.empty() ? 0 : matrix[0].size(), done = 0;
  for (size_t column = 0; column < columns && done < matrix.size(); column++) {
    size_t found = done;
    while (found < matrix.size() && matrix[found][column] == 0)
      found++;
    if (found == matrix.size())
      continue;
    std::swap(matrix[done], matrix[found]);
    reduce(matrix[done]);
    const IntegerRow pivot = matrix[done];
    for (size_t k = 0; k < matrix.size(); k++)
      if (int64_t factor = matrix[k][column]; k != done && factor) {
        for (size_t c = 0; c < columns; c++)
          matrix[k][c] = matrix[k][c] * pivot[column] - factor * pivot[c];
        reduce(matrix[k]);
      }
    pivots.push_back(column);
    done++;
  }
  matrix.resize(done);
  return pivots;
}

} // namespace

int rankOf(const IntegerMatrix &matrix) {
  IntegerMatrix copy = matrix;
  return int(eliminate(copy).size());
}

IntegerMatrix orthogonalComplement(const IntegerMatrix &matrix, int columns) {
  IntegerMatrix echelon = matrix, out;
  std::vector<size_t> pivots = eliminate(echelon);
  for (size_t free = 0; free < size_t(columns); free++) {
    IntegerRow row(size_t(columns), 0);
    int64_t scale = 1;
    bool isPivot = false;
    for (size_t k = 0; k < pivots.size(); k++) {
      isPivot |= pivots[k] == free;
      scale = std::lcm(scale, echelon[k][pivots[k]]);
    }
    if (isPivot)
      continue;
    row[free] = scale;
    for (size_t k = 0; k < pivots.size(); k++)
      row[pivots[k]] = -echelon[k][free] * (scale / echelon[k][pivots[k]]);
    reduce(row);
    out.push_back(row);
  }
  return out;
}

} // namespace nw
