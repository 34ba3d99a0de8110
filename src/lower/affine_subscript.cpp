// Affine subscripts.
#include "lower/affine_subscript.h"
#include <cstdlib>
#include <fmt/format.h>

namespace nw {

int64_t AffineSubscript::factorOf(const std::string &name) const {
  auto found = factors.find(name);
  return found == factors.end() ? 0 : found->second;
}

AffineSubscript AffineSubscript::without(const std::string &name) const {
  AffineSubscript out = *this;
  out.factors.erase(name);
  return out;
}

static AffineSubscript scaled(const AffineSubscript &a, int64_t by) {
  AffineSubscript out;
  if (by == 0)
    return out;
  for (auto &[name, factor] : a.factors)
    out.factors[name] = factor * by;
  out.constant = a.constant * by;
  return out;
}

AffineSubscript operator+(const AffineSubscript &a, const AffineSubscript &b) {
  AffineSubscript out = a;
  for (auto &[name, factor] : b.factors)
    if ((out.factors[name] += factor) == 0)
      out.factors.erase(name);
  out.constant += b.constant;
  return out;
}

AffineSubscript operator-(const AffineSubscript &a, const AffineSubscript &b) {
  return a + scaled(b, -1);
}

std::optional<AffineSubscript> affineSubscriptOf(const ExprP &e) {
  constexpr int64_t kLargest =
      int64_t(1) << 20; // of constants: sums of them stay far from the ends of the type
  if (!e->type.isInteger() || bitsOf(e->type.scalar) < 32)
    return std::nullopt;
  switch (e->kind) {
  case ExprKind::Int:
    return std::abs(e->integer) <= kLargest ? std::optional(AffineSubscript{{}, e->integer})
                                            : std::nullopt;
  case ExprKind::Var:
    return AffineSubscript{{{e->name, 1}}, 0};
  case ExprKind::Cast:
    return e->args[0]->type.isInteger() ? affineSubscriptOf(e->args[0]) : std::nullopt;
  case ExprKind::Binary:
    break;
  default:
    return std::nullopt;
  }
  if ((e->name != "+" && e->name != "-" && e->name != "*") || isUnsigned(e->type.scalar))
    return std::nullopt;
  std::optional<AffineSubscript> a = affineSubscriptOf(e->args[0]),
                                 b = affineSubscriptOf(e->args[1]);
  if (!a || !b)
    return std::nullopt;
  if (e->name != "*")
    return e->name == "+" ? *a + *b : *a - *b;
  if (!a->factors.empty() && !b->factors.empty())
    return std::nullopt;
  return a->factors.empty() ? scaled(*b, a->constant) : scaled(*a, b->constant);
}

ExprP expressionOf(const AffineSubscript &affine, const Type &type) {
  ExprP sum;
  for (bool isPositive : {true, false})
    for (auto &[name, factor] : affine.factors) {
      if ((factor > 0) != isPositive)
        continue;
      ExprP term = std::abs(factor) == 1
                       ? var(name, type)
                       : binary("*", intConst(std::abs(factor), type), var(name, type), type);
      if (!sum)
        sum = isPositive ? term : unary("-", term, type);
      else
        sum = binary(isPositive ? "+" : "-", sum, term, type);
    }
  if (!sum)
    return intConst(affine.constant, type);
  if (affine.constant == 0)
    return sum;
  return binary(affine.constant > 0 ? "+" : "-", sum, intConst(std::abs(affine.constant), type),
                type);
}

std::string textOf(const AffineSubscript &affine) {
  std::string text = std::to_string(affine.constant);
  for (auto &[name, factor] : affine.factors)
    text += fmt::format(" + {} {}", factor, name);
  return text;
}

} // namespace nw
