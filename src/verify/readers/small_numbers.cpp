// Interval arithmetic.
#include "verify/readers/small_numbers.h"
#include <numeric>

namespace nw {

static constexpr int64_t kLargest = (int64_t(1) << 31) - 1;

std::optional<Bounds> SmallNumbers::of(const ExprP &e) const {
  if (!e->type.isInteger() || bitsOf(e->type.scalar) < 32)
    return std::nullopt;
  std::optional<Bounds> found;
  switch (e->kind) {
  case ExprKind::Int:
    found = Bounds{e->integer, e->integer, 0};
    break;
  case ExprKind::Builtin:
    for (int d = 0; d < 3; d++)
      if (e->name == std::string("local.") + "xyz"[d])
        found = Bounds{0, block[size_t(d)] - 1};
    break;
  case ExprKind::Var:
    if (auto known = variables.find(e->name); known != variables.end())
      found = known->second;
    break;
  case ExprKind::Cast:
    found = of(e->args[0]);
    break;
  case ExprKind::Binary:
    found = computed(*e);
    break;
  default:
    break;
  }
  bool isSmall = found && found->low >= 0 && found->high <= kLargest;
  return isSmall ? found : std::nullopt;
}

std::optional<Bounds> SmallNumbers::computed(const Expr &e) const {
  std::optional<Bounds> a = of(e.args[0]), b = of(e.args[1]);
  if (!a || !b)
    return std::nullopt;
  if (e.name == "+")
    return Bounds{a->low + b->low, a->high + b->high, std::gcd(a->step, b->step)};
  if (e.name == "*" && b->step == 0)
    return Bounds{a->low * b->low, a->high * b->low, a->step * b->low};
  if (b->step != 0 || b->low < 1)
    return std::nullopt;
  int64_t by = b->low;
  if (e.name == "/")
    return Bounds{a->low / by, a->high / by,
                  a->step % by == 0 ? a->step / by : int64_t(a->step != 0)};
  if (e.name != "%")
    return std::nullopt;
  if (a->high < by)
    return a;
  int64_t step = std::gcd(a->step, by), first = step ? a->low % step : a->low % by;
  return Bounds{first, step ? by - step + first : first, step};
}

std::optional<Bounds> SmallNumbers::counterOf(const Loop &loop) const {
  std::optional<Bounds> start = of(loop.start);
  const ExprP &c = loop.condition;
  if (!start || loop.step < 1 || c->kind != ExprKind::Binary || c->name != "<" ||
      !isVar(withoutWideCasts(c->args[0]), loop.counter))
    return std::nullopt;
  std::optional<Bounds> end = of(c->args[1]);
  if (!end || end->high <= start->low || end->high - 1 + loop.step > kLargest)
    return std::nullopt;
  return Bounds{start->low, end->high - 1, std::gcd(start->step, loop.step)};
}

} // namespace nw
