// Scalar promotion.
#include "kernel/promote.h"
#include "kernel/jam.h"
#include "kernel/keep.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

bool isFlat(const StmtP &loop) {
  bool flat = true;
  walkStmts(loop, [&](const StmtP &s) {
    flat &= s->kind != StmtKind::Reduce && s->kind != StmtKind::Barrier &&
            s->kind != StmtKind::GridBarrier;
  });
  return flat;
}

// Variables that change inside the loop.
std::set<std::string> changing(const StmtP &loop) {
  std::set<std::string> names;
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      names.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare)
      names.insert(s->name);
    if (s->kind == StmtKind::Assign)
      if (const Expr *base = baseOf(s->exprs[0]))
        names.insert(base->name);
  });
  return names;
}

// Assignments that every iteration executes.
void unconditional(const StmtP &s, std::vector<StmtP> &out) {
  if (s->kind == StmtKind::Assign)
    out.push_back(s);
  if (s->kind == StmtKind::Block)
    for (const StmtP &b : s->body)
      unconditional(b, out);
}

bool leaves(const StmtP &s) {
  bool found = false;
  walkStmts(s, [&](const StmtP &x) {
    found |= x->kind == StmtKind::Break || x->kind == StmtKind::Continue;
  });
  return found;
}

class Promotion {
public:
  explicit Promotion(const StmtP &body) : offsets(body) {}

  StmtP rewritten(const StmtP &s) {
    if (s->kind == StmtKind::For && isFlat(s) && !leaves(s))
      if (StmtP better = promoted(s))
        return better;
    auto copy = std::make_shared<Stmt>(*s);
    for (StmtP &b : copy->body)
      b = rewritten(b);
    return copy;
  }

private:
  StmtP promoted(const StmtP &loop) {
    std::set<std::string> changes = changing(loop);
    std::vector<StmtP> certain;
    unconditional(loop->body[0], certain);
    std::vector<ExprP> spellings;
    for (const StmtP &a : certain)
      if (const ExprP &element = a->exprs[0];
          element->kind != ExprKind::Var && !element->type.isStruct() &&
          isFixed(element, changes) &&
          std::none_of(spellings.begin(), spellings.end(),
                       [&](const ExprP &p) { return sameTree(p, element); }))
        spellings.push_back(element);
    std::erase_if(spellings,
                  [&](const ExprP &element) { return !isOnlyUse(element, spellings, loop); });
    return spellings.empty() ? nullptr : kept(loop, spellings);
  }

  // Whether the subscripts keep their values during the loop.
  static bool isFixed(const ExprP &element, const std::set<std::string> &changes) {
    bool fixed = true;
    for (const Expr *e = element.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member;
         e = e->args[0].get())
      if (e->kind == ExprKind::Index)
        walk(e->args[1], [&](const ExprP &x) {
          fixed &= x->kind != ExprKind::Var || !changes.count(x->name);
          return fixed;
        });
    return fixed;
  }

  // Whether the array is touched only at this element and at others that are certainly different,
  // and read there at least once (else there is nothing to keep).
  bool isOnlyUse(const ExprP &element, const std::vector<ExprP> &others, const StmtP &loop) const {
    const std::string &array = baseOf(element)->name;
    int mentions = 0, spellings = 0;
    walkExprs(loop, [&](const ExprP &e) {
      if (sameTree(e, element)) {
        spellings++;
        return false;
      }
      bool isOther = std::any_of(others.begin(), others.end(), [&](const ExprP &o) {
        return sameTree(e, o) && offsets.areDifferent(o, element);
      });
      if (isOther)
        return false;
      mentions += e->kind == ExprKind::Var && e->name == array;
      return true;
    });
    return mentions == 0 && spellings >= 2;
  }

  // Nothing is loaded or stored when the loop does not run at all.
  static StmtP kept(const StmtP &loop, const std::vector<ExprP> &spellings) {
    ExprP runs = whetherItRuns(loop->loop);
    bool certain = runs->kind == ExprKind::Binary && runs->args[0]->kind == ExprKind::Int &&
                   runs->args[1]->kind == ExprKind::Int &&
                   ((runs->name == "<" && runs->args[0]->integer < runs->args[1]->integer) ||
                    (runs->name == "<=" && runs->args[0]->integer <= runs->args[1]->integer));
    return keepStmt(certain ? intConst(1, kI32) : runs, spellings, loop);
  }

  Offsets offsets;
};

} // namespace

StmtP promoteAccumulators(const StmtP &body) { return Promotion(body).rewritten(body); }

} // namespace nw
