// Columns that nobody asks for.
#include "verify/readers/unasked_sums.h"
#include "kernel/cyclic_loop.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>

namespace nw {

namespace {

// A loop over columns, and the conditions inside of it around its code.
struct ColumnLoop {
  const Stmt *loop;
  std::vector<StmtP> guards;
  StmtP code;
};

class UnaskedSums {
public:
  explicit UnaskedSums(const StmtP &body) {
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        (s->owners ? sums : variables).insert(s->name);
      if (s->kind == StmtKind::For && s->loop.cyclic.turns > 0)
        loops.push_back(columnLoop(*s));
    });
  }

  std::set<const Stmt *> run() const {
    std::set<const Stmt *> out;
    for (const ColumnLoop &one : loops)
      for (const StmtP &g : one.guards)
        if (g->isSpeculated && isHarmless(one, g->exprs[0]))
          out.insert(g.get());
    return out;
  }

private:
  static ColumnLoop columnLoop(const Stmt &s) {
    ColumnLoop out{&s, {}, alone(s.body[0])};
    while (out.code->kind == StmtKind::If && out.code->body.size() == 1) {
      out.guards.push_back(out.code);
      out.code = alone(out.code->body[0]);
    }
    return out;
  }

  bool isHarmless(const ColumnLoop &one, const ExprP &condition) const {
    if (!one.code->isInstance() || !mentions(condition, one.loop->loop.counter))
      return false;
    for (const StmtP &s : one.code->body)
      if (!isSumOfRegisters(*s, one))
        return false;
    auto asks = [&](const StmtP &g) { return sameTree(g->exprs[0], condition); };
    auto isUnasked = [](const StmtP &g) { return g->isSpeculated; };
    return std::all_of(loops.begin(), loops.end(), [&](const ColumnLoop &other) {
      return std::any_of(other.guards.begin(), other.guards.end(), isUnasked) ||
             std::any_of(other.guards.begin(), other.guards.end(), asks) || !takesSums(other.code);
    });
  }

  bool isOwn(const ExprP &e, const ColumnLoop &one) const {
    return e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var &&
           sums.count(e->args[0]->name) && sameTree(e->args[1], positionIn(*one.loop));
  }

  bool isSumOfRegisters(const Stmt &s, const ColumnLoop &one) const {
    if (s.kind != StmtKind::Assign || !isOwn(s.exprs[0], one) || !s.exprs[0]->type.isFloat())
      return false;
    bool are = true;
    walk(s.exprs[1], [&](const ExprP &e) {
      if (isOwn(e, one))
        return false;
      if (e->kind == ExprKind::Staged) {
        are &= baseOf(e) && (variables.count(baseOf(e)->name) || sums.count(baseOf(e)->name));
        return false;
      }
      if (e->kind == ExprKind::Index && !mentions(e, one.loop->loop.counter))
        return false; // the same for the columns that are there
      are &= e->type.isFloat() && (e->kind == ExprKind::Binary || e->kind == ExprKind::Unary ||
                                   e->kind == ExprKind::Float || e->kind == ExprKind::Cast);
      return are;
    });
    return are;
  }

  // Whether sums are used, if only to add to them.
  bool takesSums(const StmtP &code) const {
    return std::any_of(sums.begin(), sums.end(), [&](const std::string &name) {
      return code->kind == StmtKind::Assign ? mentions(code->exprs[1], name) : mentions(code, name);
    });
  }

  std::vector<ColumnLoop> loops;
  std::set<std::string> sums, variables; // dealt out to threads; others of a thread's own
};

} // namespace

std::set<const Stmt *> unaskedSums(const StmtP &body) { return UnaskedSums(body).run(); }

} // namespace nw
