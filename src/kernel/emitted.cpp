// As emitted.
#include "kernel/emitted.h"
#include "ir/linear_tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

std::optional<int64_t> knownTrips(const Stmt &s) {
  const ExprP &c = s.loop.condition;
  bool isInclusive = c->kind == ExprKind::Binary && c->name == "<=";
  if (s.loop.stride || s.loop.step < 1 || c->kind != ExprKind::Binary ||
      (c->name != "<" && !isInclusive))
    return std::nullopt;
  const ExprP &start = s.loop.start, &end = c->args[1];
  std::optional<int64_t> length;
  if (start->kind == ExprKind::Int && end->kind == ExprKind::Int)
    length = std::max<int64_t>(0, end->integer - start->integer + isInclusive);
  else if (isInclusive)
    return std::nullopt;
  else if (auto [rest, number] = splitNumber(end); number > 0 && sameTree(rest, start))
    length = number;
  else if (end->kind == ExprKind::Int &&
           end->integer % s.loop.step == 0) // from the number of the thread by all of them
    length = end->integer;
  return length ? std::optional((*length + s.loop.step - 1) / s.loop.step) : std::nullopt;
}

namespace {

StmtP withoutSpeculation(const StmtP &s) {
  if (s->kind == StmtKind::If && s->isSpeculated)
    return withoutSpeculation(s->body[0]);
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = withoutSpeculation(b);
  return copy;
}

// Whether computing it does nothing else.
bool isPlainValue(const ExprP &e) {
  bool plain = true;
  walk(e, [&](const ExprP &x) {
    plain &= x->kind == ExprKind::Int || x->kind == ExprKind::Var || x->kind == ExprKind::Builtin ||
             x->kind == ExprKind::Cast || x->kind == ExprKind::Binary;
    return plain;
  });
  return plain;
}

// Without integers that nothing after them asks for, such as a point's index where its register is
// all that counts.
StmtP withoutUnused(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = withoutUnused(b);
  if (s->kind != StmtKind::Block)
    return copy;
  std::vector<StmtP> used; // from the last to the first
  for (size_t n = copy->body.size(); n-- > 0;) {
    const StmtP &d = copy->body[n];
    bool isInteger = d->kind == StmtKind::Declare && d->extents.empty() && d->exprs.size() == 1 &&
                     d->type.isInteger() && isPlainValue(d->exprs[0]);
    if (!isInteger || std::any_of(used.begin(), used.end(),
                                  [&](const StmtP &later) { return mentions(later, d->name); }))
      used.push_back(d);
  }
  copy->body.assign(used.rbegin(), used.rend());
  return copy;
}

// Sums and products of constants, computed.
ExprP computed(const ExprP &e) {
  if (e->kind != ExprKind::Binary || !e->type.isInteger())
    return e;
  const ExprP &a = e->args[0], &b = e->args[1];
  bool isA = a->kind == ExprKind::Int, isB = b->kind == ExprKind::Int;
  if (isA && isB) {
    if (e->name == "+")
      return intConst(a->integer + b->integer, e->type);
    if (e->name == "-")
      return intConst(a->integer - b->integer, e->type);
    if (e->name == "*")
      return intConst(a->integer * b->integer, e->type);
    if (e->name == "/" && b->integer > 0)
      return intConst(a->integer / b->integer, e->type);
    if (e->name == "%" && b->integer > 0)
      return intConst(a->integer % b->integer, e->type);
  }
  if (isB && b->integer == 0 && (e->name == "+" || e->name == "-"))
    return a;
  auto [rest, number] = splitNumber(a);
  // (x + 3) + 4
  if (isB && rest != a && (e->name == "+" || e->name == "-"))
    return plusNumber(rest, number + (e->name == "+" ? b->integer : -b->integer), e->type);
  // (x + 3) - x
  return e->name == "-" && sameTree(rest, b) ? intConst(number, e->type) : e;
}

StmtP substituted(const StmtP &s, const std::string &name, const ExprP &value) {
  return rewriteExprs(s, [&](const ExprP &e) {
    return e->kind == ExprKind::Var && e->name == name ? value : computed(e);
  });
}

StmtP unrolled(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = unrolled(b);
  std::optional<int64_t> trips =
      s->kind == StmtKind::For && s->loop.isUnrolled ? knownTrips(*s) : std::nullopt;
  if (!trips)
    return copy;
  std::vector<StmtP> all;
  for (int64_t k = 0; k < *trips; k++)
    all.push_back(
        substituted(copy->body[0], s->loop.counter,
                    computed(binary("+", s->loop.start, intConst(k * s->loop.step, s->loop.type),
                                    s->loop.type))));
  return block(all);
}

// Variables whose subscripts are all numbers now, as that many variables.
StmtP inRegisters(const StmtP &body) {
  std::map<std::string, StmtP> arrays;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Declare && !s->extents.empty() && s->exprs.empty())
      arrays[s->name] = s;
  });
  return rewriteExprs(body, [&](const ExprP &e) -> ExprP {
    std::string name;
    size_t many = 0;
    const Expr *x = e.get();
    for (; x->kind == ExprKind::Index && x->args[1]->kind == ExprKind::Int;
         x = x->args[0].get(), many++)
      name = fmt::format("_{}{}", x->args[1]->integer, name);
    auto found = x->kind == ExprKind::Var && many ? arrays.find(x->name) : arrays.end();
    return found != arrays.end() && found->second->extents.size() == many
               ? var(x->name + name, e->type)
               : e;
  });
}

} // namespace

StmtP asEmitted(const StmtP &code) {
  return withoutUnused(withoutSpeculation(rewriteExprs(
      code, [](const ExprP &e) { return e->kind == ExprKind::Staged ? e->args[0] : e; })));
}

StmtP asCompiled(const StmtP &code) { return inRegisters(unrolled(asEmitted(code))); }

} // namespace nw
