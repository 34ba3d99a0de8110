// Second buffers.
#include "verify/readers/double_buffers.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

class DoubleBuffers {
public:
  // The same with one buffer; nothing where that would not be the same.
  StmtP run(const StmtP &body) {
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Shared && s->extents.size() > 1 && s->extents[0] == 2)
        names.insert(s->name);
    });
    if (names.empty())
      return nullptr;
    StmtP made = stmt(body, nullptr, false);
    return failed ? nullptr : made;
  }

private:
  bool mentionsBuffers(const StmtP &s) const {
    bool found = false;
    walkExprs(s, [&](const ExprP &e) {
      found |= e->kind == ExprKind::Var && names.count(e->name);
      return !found;
    });
    return found;
  }

  // (s - start) / step % 2, or s / step % 2 from zero on: 0 in the first turn of the loop, then 1,
  // 0, …
  static ExprP turnOf(const Loop &l) {
    ExprP counter = var(l.counter, l.type);
    bool fromZero = l.start->kind == ExprKind::Int && l.start->integer == 0;
    ExprP passed = fromZero ? counter : binary("-", counter, l.start, l.type);
    return binary("%", binary("/", passed, intConst(l.step, l.type), l.type), intConst(2, l.type),
                  l.type);
  }

  bool usesTurn(const StmtP &s, const ExprP &turn) const {
    bool found = false;
    walkExprs(s, [&](const ExprP &e) {
      found |= e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var &&
               names.count(e->args[0]->name) && sameTree(e->args[1], turn);
      return !found;
    });
    return found;
  }

  // Stores, one barrier, then only what reads: a buffer is written again two turns later, when all
  // have passed the barrier of the turn between.
  bool takesTurns(const std::vector<StmtP> &body) const {
    auto barrier = std::find_if(body.begin(), body.end(),
                                [](const StmtP &s) { return s->kind == StmtKind::Barrier; });
    if (barrier == body.end())
      return false;
    for (auto s = body.begin(); s != barrier; s++)
      if (readsBuffers(*s))
        return false;
    for (auto s = barrier + 1; s != body.end(); s++) {
      bool isMore = false;
      walkStmts(*s, [&](const StmtP &x) {
        isMore |= x->kind == StmtKind::Barrier || x->kind == StmtKind::GridBarrier ||
                  x->kind == StmtKind::Reduce || x->kind == StmtKind::Break ||
                  x->kind == StmtKind::Continue;
        isMore |= x->kind == StmtKind::Assign && baseOf(x->exprs[0]) &&
                  names.count(baseOf(x->exprs[0])->name);
      });
      if (isMore)
        return false;
    }
    return true;
  }

  bool readsBuffers(const StmtP &s) const {
    bool reads = false;
    walkStmts(s, [&](const StmtP &x) {
      for (size_t n = 0; n < x->exprs.size(); n++) {
        bool isTarget = x->kind == StmtKind::Assign && n == 0;
        if (!isTarget)
          walk(x->exprs[n], [&](const ExprP &e) {
            reads |= e->kind == ExprKind::Var && names.count(e->name);
            return !reads;
          });
      }
      reads |= x->kind == StmtKind::Barrier || x->kind == StmtKind::Reduce ||
               x->kind == StmtKind::Break || x->kind == StmtKind::Continue;
    });
    return reads;
  }

  // `turn`: which buffer is meant around here; null: the first. `isAfterBarrier`: all threads have
  // met since the buffers were used.
  StmtP stmt(const StmtP &s, const ExprP &turn, bool isAfterBarrier) {
    if (s->kind == StmtKind::For && !turn && !s->loop.stride && s->loop.step > 0) {
      ExprP own = turnOf(s->loop);
      if (usesTurn(s, own)) {
        failed |=
            !isAfterBarrier || s->body[0]->kind != StmtKind::Block || !takesTurns(s->body[0]->body);
        auto copy = std::make_shared<Stmt>(*s);
        std::vector<StmtP> inside;
        bool isUsed = false;
        for (const StmtP &b : s->body[0]->body) {
          if (!isUsed && mentionsBuffers(b)) {
            inside.push_back(marker(StmtKind::Barrier));
            isUsed = true;
          }
          inside.push_back(stmt(b, own, false));
        }
        copy->body = {block(inside)};
        return copy;
      }
    }
    auto copy = std::make_shared<Stmt>(*s);
    copy->exprs.clear();
    for (const ExprP &e : s->exprs)
      copy->exprs.push_back(dropped(e, turn));
    if (s->kind == StmtKind::For) {
      copy->loop.start = dropped(s->loop.start, turn);
      copy->loop.condition = dropped(s->loop.condition, turn);
    }
    if (s->kind == StmtKind::Shared && names.count(s->name))
      copy->extents.erase(copy->extents.begin());
    bool met = isAfterBarrier && (s->kind == StmtKind::Block ||
                                  s->kind == StmtKind::If); // a loop comes back to its beginning
    for (StmtP &b : copy->body) {
      StmtP made = stmt(b, turn, met);
      met = b->kind == StmtKind::Barrier || (met && !mentionsBuffers(b));
      b = made;
    }
    return copy;
  }

  ExprP dropped(const ExprP &e, const ExprP &turn) {
    if (!e)
      return e;
    std::vector<ExprP> subscripts;
    ExprP root = e;
    for (; root->kind == ExprKind::Index; root = root->args[0])
      subscripts.insert(subscripts.begin(), root->args[1]);
    if (root->kind == ExprKind::Var && names.count(root->name)) {
      bool isMeant = !subscripts.empty() &&
                     (turn ? sameTree(subscripts[0], turn)
                           : subscripts[0]->kind == ExprKind::Int && subscripts[0]->integer == 0);
      failed |= !isMeant;
      ExprP made = root;
      for (size_t n = 1; n < subscripts.size(); n++)
        made = index(made, dropped(subscripts[n], turn), e->type);
      return made;
    }
    auto copy = std::make_shared<Expr>(*e);
    for (ExprP &a : copy->args)
      a = dropped(a, turn);
    return copy;
  }

  std::set<std::string> names;
  bool failed = false;
};

} // namespace

StmtP withoutDoubleBuffers(const StmtP &body) {
  StmtP made = DoubleBuffers().run(body);
  return made ? made : body;
}

} // namespace nw
