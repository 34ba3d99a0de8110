// Facts about loops.
#include "estimate/loop_facts.h"
#include "kernel/expand.h"
#include <algorithm>

namespace nw {

namespace {

bool isLoop(const StmtP &s) {
  return s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile;
}

LoopFacts factsOfLoop(const StmtP &loop, const std::set<std::string> &arrays, bool mayAlias) {
  LoopFacts f;
  f.loop = loop;
  bool hasInner = false, hasBarrier = false;
  std::set<std::string> stored, moving, carried; // elements that this iteration has written, that
                                                 // it loads anew, arrays read of another one
  auto isMoving = [&](const ExprP &element) {
    bool found = false;
    walk(element, [&](const ExprP &e) {
      return found |= e->kind == ExprKind::Var && e->name == loop->loop.counter, true;
    });
    return found;
  };
  std::set<const Expr *> rows; // a[i] of a[i][j] is not an element
  auto noteRows = [&](const ExprP &e) {
    for (const Expr *row = e.get();
         (row->kind == ExprKind::Index || row->kind == ExprKind::Member) && row->args[0];
         row = row->args[0].get())
      rows.insert(row->args[0].get());
  };
  auto note = [&](const ExprP &e) {
    noteRows(e);
    const Expr *base = rows.count(e.get())                                         ? nullptr
                       : e->kind == ExprKind::Index || e->kind == ExprKind::Member ? baseOf(e)
                                                                                   : nullptr;
    if (base && arrays.count(base->name) &&
        !stored.count(print(e))) { // what was stored just now is still in a register
      carried.insert(base->name);
      if (isMoving(e))
        moving.insert(print(e));
    }
    if (e->kind == ExprKind::Var && arrays.count(e->name))
      f.read.insert(e->name);
    return true;
  };
  for (const StmtP &b : loop->body)
    walkStmts(b, [&](const StmtP &s) {
      hasInner |= isLoop(s);
      if (s->kind == StmtKind::Window && s->section.stores)
        f.written.insert(baseOf(s->exprs[0])->name);
      f.hasGridBarrier |= s->kind == StmtKind::GridBarrier;
      hasBarrier |= s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier;
      for (size_t k = s->exprs.size(); k-- > 0;) { // the value before the element it goes to
        if (s->kind == StmtKind::Assign && k == 0) {
          const Expr *base = baseOf(s->exprs[0]);
          if (base)
            (arrays.count(base->name) ? f.written : f.assigned).insert(base->name);
          noteRows(s->exprs[0]);
          for (const ExprP &a : s->exprs[0]->args)
            if (a && a->kind != ExprKind::Var)
              walk(a, [&](const ExprP &e) { return e.get() == base ? false : note(e); });
          stored.insert(print(s->exprs[0]));
          continue;
        }
        walk(s->exprs[k], note);
      }
    });
  bool meets = std::any_of(f.written.begin(), f.written.end(),
                           [&](const std::string &a) { return carried.count(a) > 0; });
  f.canOverlap = loop->kind == StmtKind::For && (!loop->loop.stride || loop->loop.unroll) &&
                 !hasInner && !hasBarrier && !meets && !(mayAlias && !f.written.empty());
  f.unrolled = !f.canOverlap        ? 1
               : loop->loop.unroll  ? loop->loop.unroll
               : moving.size() == 1 ? kUnrolledSmall
                                    : kUnrolled;
  return f;
}

} // namespace

int KernelFacts::numberOf(const StmtP &loop) const {
  for (size_t k = 0; k < loops.size(); k++)
    if (loops[k].loop == loop)
      return int(k) + 1;
  return 0;
}

int KernelFacts::mustReload(const std::string &array, const std::vector<int> &around,
                            bool isShared) const {
  for (size_t k = around.size(); k-- > 1;) {
    if (around[k] == 0) // a loop of a function that is called
      continue;
    const LoopFacts &f = loops[size_t(around[k]) - 1];
    if (f.written.count(array) || (mayAlias && !isShared && !f.written.empty()))
      return int(k);
  }
  return 0;
}

KernelFacts factsOf(const Kernel &given) {
  const Kernel kernel = spelledOut(given);
  KernelFacts out;
  out.mayAlias = kernel.isResident();
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
