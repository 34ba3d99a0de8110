// Copies, told apart from what else stands between instances.
#include "verify/readers/copies.h"
#include <algorithm>

namespace nw {

namespace {

class Copies {
public:
  Copies(const StmtP &body, const std::set<std::string> &buffers) : buffers(buffers) {
    std::set<std::string> shared, staged;
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Shared)
        shared.insert(s->name);
    });
    walkExprs(body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Staged && baseOf(e))
        staged.insert(baseOf(e)->name);
      return true;
    });
    std::set_intersection(shared.begin(), shared.end(), staged.begin(), staged.end(),
                          std::inserter(out.tiles, out.tiles.end()));
    if (out.tiles.empty())
      return;
    names(body, false);
    for (const std::string &name : used)
      registers.erase(name);
    collect(body);
  }

  CopyCode out;

private:
  // Variables outside of instances, and names that instances use.
  void names(const StmtP &s, bool inInstance) {
    inInstance |= s->isInstance();
    auto use = [&](const ExprP &e) {
      if (e && inInstance)
        walk(e, [&](const ExprP &x) {
          if (x->kind == ExprKind::Var)
            used.insert(x->name);
          return true;
        });
    };
    for (const ExprP &e : s->exprs)
      use(e);
    for (const ExprP &e : s->values)
      use(e);
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
        use(e);
    if (!inInstance && (s->kind == StmtKind::Declare || s->kind == StmtKind::Window))
      registers.insert(s->name);
    for (const StmtP &b : s->body)
      names(b, inInstance);
  }

  bool isMove(const Stmt &s) const {
    const Expr *to = baseOf(s.exprs[0]), *from = baseOf(s.exprs[1]);
    if (!to || s.exprs[0]->kind == ExprKind::Staged)
      return false;
    bool isBack = from && s.exprs[1]->kind == ExprKind::Index && out.tiles.count(from->name) &&
                  s.exprs[0]->kind == ExprKind::Index && buffers.count(to->name);
    return out.tiles.count(to->name) || registers.count(to->name) || isBack;
  }

  bool movesOnly(const StmtP &s) const {
    if (s->isInstance())
      return false;
    switch (s->kind) {
    case StmtKind::Declare:
      return true;
    case StmtKind::Assign:
      return isMove(*s);
    case StmtKind::Window:
      if (!s->section.loads || s->section.stores)
        return false;
      break;
    case StmtKind::If:
      if (s->isSpeculated)
        return false;
      break;
    case StmtKind::Block:
    case StmtKind::For:
      break;
    default:
      return false;
    }
    return std::all_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return movesOnly(b); });
  }

  // Assigns, or loads what a variable begins with.
  bool moves(const StmtP &s) const {
    bool does = false;
    walkStmts(s, [&](const StmtP &x) {
      does |= x->kind == StmtKind::Assign;
      for (const ExprP &e : x->exprs)
        if (x->kind == StmtKind::Declare)
          walk(e, [&](const ExprP &y) {
            return does |= y->kind == ExprKind::Var && buffers.count(y->name), !does;
          });
    });
    return does;
  }

  void collect(const StmtP &s) {
    if (s->isInstance())
      return;
    if (moves(s) && movesOnly(s))
      out.statements.insert(s.get());
    else
      for (const StmtP &b : s->body)
        collect(b);
  }

  const std::set<std::string> &buffers;
  std::set<std::string> registers, used;
};

} // namespace

CopyCode copiesIn(const StmtP &body, const std::set<std::string> &buffers) {
  return Copies(body, buffers).out;
}

bool isOnlyCopiedBack(const StmtP &body, const std::string &array, const std::string &tile) {
  bool is = true;
  std::function<void(const ExprP &)> reads = [&](const ExprP &e) {
    if (e->kind == ExprKind::Staged) {
      is &= !mentions(e->args[0], tile) && !mentions(e->args[1], array);
      return;
    }
    is &= e->kind != ExprKind::Var || (e->name != array && e->name != tile);
    for (const ExprP &a : e->args)
      reads(a);
  };
  auto subscripts = [&](const ExprP &target) {
    for (const Expr *x = target.get(); x->kind == ExprKind::Index; x = x->args[0].get())
      reads(x->args[1]);
  };
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
        if (e)
          reads(e);
    if (s->kind != StmtKind::Assign) {
      for (const ExprP &e : s->exprs)
        if (e)
          reads(e);
      return;
    }
    const ExprP &target = s->exprs[0], &value = s->exprs[1];
    if (target->kind == ExprKind::Staged) { // the tile, in place of the array
      subscripts(target->args[0]);
      subscripts(target->args[1]);
      is &= (baseOf(target->args[0]) && baseOf(target->args[0])->name == tile) ==
            (baseOf(target->args[1]) && baseOf(target->args[1])->name == array);
    } else {
      const Expr *base = baseOf(target), *source = baseOf(value);
      subscripts(target);
      if (base && base->name == array && source && source->name == tile &&
          value->kind == ExprKind::Index)
        return subscripts(value);
      is &= base && base->name != array && base->name != tile;
    }
    reads(value);
  });
  return is;
}

} // namespace nw
