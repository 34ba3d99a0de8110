// Short loops.
#include "lower/short_loops.h"
#include "ir/linear_tree.h"
#include "kernel/keep.h"
#include <algorithm>
#include <optional>

namespace nw {

namespace {

constexpr int64_t kMostWrittenOut = 64; // iterations of a nest

// max(2, a, b): the constant, and what is left.
struct Bound {
  std::optional<int64_t> constant;
  std::vector<ExprP> rest;
};

void collect(const ExprP &e, ExprKind kind, Bound &out) {
  if (e->kind == kind)
    for (const ExprP &a : e->args)
      collect(a, kind, out);
  else if (e->kind == ExprKind::Int)
    out.constant = !out.constant           ? e->integer
                   : kind == ExprKind::Max ? std::max(*out.constant, e->integer)
                                           : std::min(*out.constant, e->integer);
  else
    out.rest.push_back(e);
}

// Iterations of the loops inside, written out; nothing where one of them is not a loop between
// constants.
std::optional<int64_t> iterations(const StmtP &s) {
  int64_t most = 1;
  for (const StmtP &b : s->body) {
    std::optional<int64_t> inner = iterations(b);
    if (!inner)
      return std::nullopt;
    most = std::max(most, *inner);
  }
  if (s->kind == StmtKind::While || s->kind == StmtKind::DoWhile || s->kind == StmtKind::Barrier ||
      s->kind == StmtKind::Reduce)
    return std::nullopt;
  if (s->kind != StmtKind::For)
    return most;
  std::optional<std::pair<int64_t, int64_t>> numbers = numbersOf(s->loop);
  if (!numbers)
    return std::nullopt;
  return most * std::max<int64_t>(0, numbers->second - numbers->first + 1);
}

// if (condition) body, with one question in front of what the short loops of the body hold: each
// iteration is then a few instructions that a device's compiler need not jump around, and what they
// load is under way at once.
StmtP asked(const ExprP &condition, const StmtP &body) {
  StmtP s = body;
  while (s->kind == StmtKind::Block && s->body.size() == 1 && !s->isInstance())
    s = s->body[0];
  if (s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated)
    return ifElse(binary("&&", condition, s->exprs[0], kI32), s->body[0]);
  if (s->kind == StmtKind::Keep && s->exprs[0]->kind != ExprKind::Int)
    return keepStmt(binary("&&", condition, s->exprs[0], kI32), keptElements(*s), s->body[0]);
  if (s->kind != StmtKind::For || !s->loop.isUnrolled || mentions(condition, s->loop.counter))
    return ifElse(condition, body);
  auto loop = std::make_shared<Stmt>(*s);
  loop->body = {asked(condition, s->body[0])};
  return loop;
}

} // namespace

StmtP withShortLoops(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = withShortLoops(b);
  const Loop &l = s->loop;
  if (s->kind != StmtKind::For || l.stride || l.step != 1 || l.isUnrolled ||
      l.condition->kind != ExprKind::Binary || l.condition->name != "<=" ||
      l.condition->args[0]->kind != ExprKind::Var || l.condition->args[0]->name != l.counter)
    return copy;
  Bound low, high;
  collect(l.start, ExprKind::Max, low);
  collect(l.condition->args[1], ExprKind::Min, high);
  if (!low.constant || !high.constant || (low.rest.empty() && high.rest.empty()))
    return copy;
  ExprP counter = var(l.counter, l.type), isThere;
  auto ask = [&](const char *how, const std::vector<ExprP> &bounds) {
    for (const ExprP &b : bounds) {
      ExprP one = binary(how, counter, b, kI32);
      isThere = isThere ? binary("&&", isThere, one, kI32) : one;
    }
  };
  ask(">=", low.rest);
  ask("<=", high.rest);
  auto between = std::make_shared<Stmt>(*copy);
  between->loop.start = intConst(*low.constant, l.type);
  between->loop.condition = binary("<=", counter, intConst(*high.constant, l.type), kI32);
  between->loop.isUnrolled = true;
  between->body = {asked(isThere, copy->body[0])};
  std::optional<int64_t> all = iterations(between);
  return all && *all <= kMostWrittenOut ? between : copy;
}

} // namespace nw
