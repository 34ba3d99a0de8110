// Unroll and jam.
#include "kernel/jam.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

bool sameLoop(const Stmt &a, const Stmt &b) {
  bool sameStride = (!a.loop.stride && !b.loop.stride) ||
                    (a.loop.stride && b.loop.stride && sameTree(a.loop.stride, b.loop.stride));
  return a.loop.counter == b.loop.counter && a.loop.step == b.loop.step && sameStride &&
         !a.loop.line.before && !b.loop.line.before && sameTree(a.loop.start, b.loop.start) &&
         sameTree(a.loop.condition, b.loop.condition);
}

// Whether the statements can be one with the bodies jammed.
bool areAlike(const std::vector<StmtP> &all) {
  const Stmt &first = *all[0];
  return std::all_of(all.begin(), all.end(), [&](const StmtP &s) {
    if (s->kind != first.kind || s->body.size() != first.body.size())
      return false;
    switch (s->kind) {
    case StmtKind::Block:
      return !s->isInstance();
    case StmtKind::For:
      return sameLoop(*s, first);
    case StmtKind::If:
      return sameTree(s->exprs[0], first.exprs[0]);
    default:
      return false;
    }
  });
}

} // namespace

StmtP jam(const std::vector<StmtP> &codes) {
  if (codes.size() == 1)
    return codes[0];
  if (!areAlike(codes))
    return block(codes);
  auto one = std::make_shared<Stmt>(*codes[0]);
  for (size_t k = 0; k < one->body.size(); k++) {
    std::vector<StmtP> column;
    for (const StmtP &c : codes)
      column.push_back(c->body[k]);
    one->body[k] = jam(column);
  }
  return one;
}

Offsets::Offsets(const StmtP &code) {
  std::set<std::string> ambiguous,
      seen; // a name that stands for several variables says nothing, nor does one that is assigned
  auto once = [&](const std::string &name) {
    if (!seen.insert(name).second)
      ambiguous.insert(name);
  };
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var)
      ambiguous.insert(s->exprs[0]->name);
    if (s->kind == StmtKind::For)
      once(s->loop.counter);
    if (s->kind != StmtKind::Declare && s->kind != StmtKind::Shared)
      return;
    once(s->name);
    if (s->exprs.size() != 1 || !s->extents.empty() || !s->type.isInteger())
      return;
    if (std::optional<LinearSum> sum = linearSumOf(s->exprs[0]); sum && !sum->factors.empty())
      offsets.emplace(s->name, *sum);
  });
  std::erase_if(offsets, [&](const auto &one) {
    return ambiguous.count(one.first) ||
           std::ranges::any_of(one.second.factors,
                               [&](const auto &term) { return ambiguous.count(term.first); });
  });
}

bool Offsets::differ(const ExprP &a, const ExprP &b) const {
  const ExprP &x = withoutWideCasts(a), &y = withoutWideCasts(b);
  if (x->kind != ExprKind::Var || y->kind != ExprKind::Var)
    return false;
  auto of = [&](const std::string &name) {
    auto found = offsets.find(name);
    return found == offsets.end() ? LinearSum{{{name, 1}}, 0} : found->second;
  };
  LinearSum distance = of(x->name) - of(y->name);
  return distance.factors.empty() && distance.constant != 0;
}

bool Offsets::areDifferent(const ExprP &a, const ExprP &b) const {
  const Expr *x = a.get(), *y = b.get();
  while (x->kind == ExprKind::Index && y->kind == ExprKind::Index) {
    if (differ(x->args[1], y->args[1]))
      return true;
    x = x->args[0].get();
    y = y->args[0].get();
  }
  return false;
}

} // namespace nw
