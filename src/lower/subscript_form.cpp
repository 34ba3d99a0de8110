// Forms of subscripts.
#include "lower/subscript_form.h"
#include <cstdlib>
#include <fmt/format.h>

namespace nw {

int64_t SubscriptForm::factorOf(const std::string &name) const {
  auto found = factors.find(name);
  return found == factors.end() ? 0 : found->second;
}

SubscriptForm SubscriptForm::without(const std::string &name) const {
  SubscriptForm out = *this;
  out.factors.erase(name);
  return out;
}

static SubscriptForm scaled(const SubscriptForm &a, int64_t by) {
  SubscriptForm out;
  if (by == 0)
    return out;
  for (auto &[name, factor] : a.factors)
    out.factors[name] = factor * by;
  out.constant = a.constant * by;
  return out;
}

SubscriptForm operator+(const SubscriptForm &a, const SubscriptForm &b) {
  SubscriptForm out = a;
  for (auto &[name, factor] : b.factors)
    if ((out.factors[name] += factor) == 0)
      out.factors.erase(name);
  out.constant += b.constant;
  return out;
}

SubscriptForm operator-(const SubscriptForm &a, const SubscriptForm &b) {
  return a + scaled(b, -1);
}

std::optional<SubscriptForm> subscriptFormOf(const ExprP &e) {
  constexpr int64_t kLargest =
      int64_t(1) << 20; // of constants: sums of them stay far from the ends of the type
  if (!e->type.isInteger() || bitsOf(e->type.scalar) < 32)
    return std::nullopt;
  switch (e->kind) {
  case ExprKind::Int:
    return std::abs(e->integer) <= kLargest ? std::optional(SubscriptForm{{}, e->integer})
                                            : std::nullopt;
  case ExprKind::Var:
    return SubscriptForm{{{e->name, 1}}, 0};
  case ExprKind::Cast:
    return e->args[0]->type.isInteger() ? subscriptFormOf(e->args[0]) : std::nullopt;
  case ExprKind::Binary:
    break;
  default:
    return std::nullopt;
  }
  if ((e->name != "+" && e->name != "-" && e->name != "*") || isUnsigned(e->type.scalar))
    return std::nullopt;
  std::optional<SubscriptForm> a = subscriptFormOf(e->args[0]), b = subscriptFormOf(e->args[1]);
  if (!a || !b)
    return std::nullopt;
  if (e->name != "*")
    return e->name == "+" ? *a + *b : *a - *b;
  if (!a->factors.empty() && !b->factors.empty())
    return std::nullopt;
  return a->factors.empty() ? scaled(*b, a->constant) : scaled(*a, b->constant);
}

ExprP expressionOf(const SubscriptForm &form, const Type &type) {
  ExprP sum;
  for (bool isPositive : {true, false})
    for (auto &[name, factor] : form.factors) {
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
    return intConst(form.constant, type);
  if (form.constant == 0)
    return sum;
  return binary(form.constant > 0 ? "+" : "-", sum, intConst(std::abs(form.constant), type), type);
}

std::string textOf(const SubscriptForm &form) {
  std::string text = std::to_string(form.constant);
  for (auto &[name, factor] : form.factors)
    text += fmt::format(" + {} {}", factor, name);
  return text;
}

} // namespace nw
