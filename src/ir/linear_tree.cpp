// Linear sums and trees.
#include "ir/linear_tree.h"
#include <cstdlib>

namespace nw {

std::optional<LinearSum> linearSumOf(const ExprP &e) {
  constexpr int64_t kLargest =
      int64_t(1) << 20; // of constants: sums of them stay far from the ends of the type
  if (!e->type.isInteger() || bitsOf(e->type.scalar) < 32)
    return std::nullopt;
  switch (e->kind) {
  case ExprKind::Int:
    return std::abs(e->integer) <= kLargest ? std::optional(LinearSum{{}, e->integer})
                                            : std::nullopt;
  case ExprKind::Var:
    return LinearSum{{{e->name, 1}}, 0};
  case ExprKind::Cast:
    return e->args[0]->type.isInteger() ? linearSumOf(e->args[0]) : std::nullopt;
  case ExprKind::Binary:
    break;
  default:
    return std::nullopt;
  }
  if ((e->name != "+" && e->name != "-" && e->name != "*") || isUnsigned(e->type.scalar))
    return std::nullopt;
  std::optional<LinearSum> a = linearSumOf(e->args[0]), b = linearSumOf(e->args[1]);
  if (!a || !b)
    return std::nullopt;
  if (e->name != "*")
    return e->name == "+" ? *a + *b : *a - *b;
  if (!a->factors.empty() && !b->factors.empty())
    return std::nullopt;
  return a->factors.empty() ? b->times(a->constant) : a->times(b->constant);
}

ExprP expressionOf(const LinearSum &given, const Type &type) {
  ExprP sum;
  for (bool isPositive : {true, false})
    for (auto &[name, factor] : given.factors) {
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
    return intConst(given.constant, type);
  return plusNumber(sum, given.constant, type);
}

std::pair<ExprP, int64_t> splitNumber(const ExprP &e) {
  bool has = e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") &&
             e->args[1]->kind == ExprKind::Int;
  if (!has)
    return {e, 0};
  return {e->args[0], e->name == "+" ? e->args[1]->integer : -e->args[1]->integer};
}

std::optional<std::pair<int64_t, int64_t>> numbersOf(const Loop &l) {
  const ExprP &c = l.condition;
  if (l.stride || l.step != 1 || l.start->kind != ExprKind::Int || c->kind != ExprKind::Binary ||
      (c->name != "<" && c->name != "<=") || !isVar(c->args[0], l.counter) ||
      withoutWideCasts(c->args[1])->kind != ExprKind::Int)
    return std::nullopt;
  return std::pair(l.start->integer, withoutWideCasts(c->args[1])->integer - (c->name == "<"));
}

ExprP plusNumber(const ExprP &e, int64_t number, const Type &type) {
  return number == 0 ? e
                     : binary(number > 0 ? "+" : "-", e, intConst(std::abs(number), type), type);
}

} // namespace nw
