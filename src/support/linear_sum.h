// Sums of names with whole factors and a constant, 2 i - j + 3: what all readers of subscripts and
// bounds hand on, from trees (ir/linear_tree.h) and from isl (analysis/affine_row.h).
#pragma once
#include "support/isl_tools.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nw {

struct LinearSum {
  std::map<std::string, int64_t> factors; // no zeros
  int64_t constant = 0;

  int64_t factorOf(const std::string &name) const;
  LinearSum without(const std::string &name) const;
  LinearSum times(int64_t by) const;
  bool operator==(const LinearSum &) const = default;
};

LinearSum operator+(const LinearSum &a, const LinearSum &b);
LinearSum operator-(const LinearSum &a, const LinearSum &b);

// As isl reads it.
std::string textOf(const LinearSum &sum);

// A function of an instance: how far it moves with each dimension, and a sum of parameters.
struct AffineRow {
  std::vector<int64_t> coefficients; // one for each input dimension
  LinearSum rest;
  bool operator==(const AffineRow &) const = default;
};

// The factors of all dimensions of a kind; nothing where one is no whole number of a machine's.
std::optional<std::vector<int64_t>> coefficientsOf(const isl::aff &f, isl_dim_type kind);
// Whether it has remainders or quotients.
bool hasDivisions(const isl::aff &f);
// Nothing where it has divisions, or a number that is none of a machine's.
std::optional<AffineRow> affineRowOf(const isl::aff &f);

} // namespace nw
