// Sums of variables with constant factors, as subscripts and bounds often are.
#pragma once
#include "ir/tree.h"
#include <map>

namespace nw {

struct AffineSubscript {
  std::map<std::string, int64_t> factors; // no zeros
  int64_t constant = 0;

  int64_t factorOf(const std::string &name) const;
  AffineSubscript without(const std::string &name) const;
  bool operator==(const AffineSubscript &) const = default;
};

AffineSubscript operator+(const AffineSubscript &a, const AffineSubscript &b);
AffineSubscript operator-(const AffineSubscript &a, const AffineSubscript &b);

// Nothing where the expression is more than that, or computes in a type that may wrap or is too
// short.
std::optional<AffineSubscript> affineSubscriptOf(const ExprP &e);
// The sum as an expression of the type, positive terms first.
ExprP expressionOf(const AffineSubscript &affine, const Type &type);
// The same as isl reads it.
std::string textOf(const AffineSubscript &affine);

} // namespace nw
