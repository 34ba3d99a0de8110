// Facts about loops.
#include "estimate/loop_facts.h"
#include <algorithm>

namespace nw {

namespace {

bool isLoop(const StmtP &s) { return s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile; }

LoopFacts factsOfLoop(const StmtP &loop, const std::set<std::string> &arrays, bool mayAlias) {
  LoopFacts f;
  f.loop = loop;
  bool hasInner = false, hasBarrier = false;
  auto note = [&](const ExprP &e) {
    if (e->kind == ExprKind::Var && arrays.count(e->name))
      f.read.insert(e->name);
    return true;
  };
  for (const StmtP &b : loop->body)
    walkStmts(b, [&](const StmtP &s) {
      hasInner |= isLoop(s);
      f.hasGridBarrier |= s->kind == StmtKind::GridBarrier;
      hasBarrier |= s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier;
      for (size_t k = 0; k < s->exprs.size(); k++) {
        if (s->kind == StmtKind::Assign && k == 0) {
          const Expr *base = baseOf(s->exprs[0]);
          if (base)
            (arrays.count(base->name) ? f.written : f.assigned).insert(base->name);
          for (const ExprP &a : s->exprs[0]->args)
            if (a && a->kind != ExprKind::Var)
              walk(a, [&](const ExprP &e) { return e.get() == base ? false : note(e); });
          continue;
        }
        walk(s->exprs[k], note);
      }
    });
  bool meets = std::any_of(f.written.begin(), f.written.end(), [&](const std::string &a) { return f.read.count(a) > 0; });
  f.canOverlap = loop->kind == StmtKind::For && !loop->loop.stride && !hasInner && !hasBarrier && !meets && !(mayAlias && !f.written.empty());
  return f;
}

} // namespace

int KernelFacts::numberOf(const StmtP &loop) const {
  for (size_t k = 0; k < loops.size(); k++)
    if (loops[k].loop == loop)
      return int(k) + 1;
  return 0;
}

int KernelFacts::mustReload(const std::string &array, const std::vector<int> &around, bool isShared) const {
  for (size_t k = around.size(); k-- > 1;) {
    if (around[k] == 0) // a loop of a function that is called
      continue;
    const LoopFacts &f = loops[size_t(around[k]) - 1];
    if (f.written.count(array) || (mayAlias && !isShared && !f.written.empty()))
      return int(k);
  }
  return 0;
}

KernelFacts factsOf(const Kernel &kernel) {
  KernelFacts out;
  out.mayAlias = kernel.persistent;
  std::set<std::string> arrays;
  for (const KernelParameter &p : kernel.parameters)
    if (p.buffer >= 0)
      arrays.insert(p.name);
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared)
      arrays.insert(s->name);
  });
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (isLoop(s))
      out.loops.push_back(factsOfLoop(s, arrays, out.mayAlias));
  });
  return out;
}

} // namespace nw
