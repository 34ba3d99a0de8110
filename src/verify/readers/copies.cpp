// Copies in shared memory.
#include "verify/readers/copies.h"
#include <algorithm>

namespace nw {

std::set<std::string> tilesIn(const StmtP &body) {
  std::set<std::string> shared, staged, tiles;
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
                        std::inserter(tiles, tiles.end()));
  return tiles;
}

std::set<std::string> registersIn(const StmtP &body) {
  std::set<std::string> declared, staged, loaded, changed, found;
  std::function<void(const StmtP &, bool)> look = [&](const StmtP &s, bool isInstance) {
    isInstance |= s->isInstance();
    if (s->kind == StmtKind::Declare)
      declared.insert(s->name);
    else if (s->kind == StmtKind::For)
      changed.insert(s->loop.counter);
    else if (s->kind != StmtKind::Assign)
      changed.insert(s->name);
    else if (const Expr *base = baseOf(s->exprs[0]))
      (isInstance || s->exprs[0]->kind == ExprKind::Staged ? changed : loaded).insert(base->name);
    for (const StmtP &b : s->body)
      look(b, isInstance);
  };
  look(body, false);
  walkExprs(body, [&](const ExprP &e) {
    if (e->kind == ExprKind::Staged && baseOf(e))
      staged.insert(baseOf(e)->name);
    return true;
  });
  for (const std::string &name : staged)
    if (declared.count(name) && loaded.count(name) && !changed.count(name))
      found.insert(name);
  return found;
}

std::set<std::string> waitingIn(const StmtP &body) {
  std::set<std::string> waiting, others;
  auto note = [&](const ExprP &e) {
    walk(e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Var)
        others.insert(x->name);
      return true;
    });
  };
  walkStmts(body, [&](const StmtP &s) {
    for (size_t k = 0; k < s->exprs.size(); k++)
      if (s->kind == StmtKind::Copy && k < 2 && s->exprs[k]->kind == ExprKind::Var)
        waiting.insert(s->exprs[k]->name);
      else
        note(s->exprs[k]);
    for (const ExprP &e : s->values)
      note(e);
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
        note(e);
    if (s->kind == StmtKind::Reduce || s->kind == StmtKind::Window)
      others.insert(s->name);
  });
  for (const std::string &name : others)
    waiting.erase(name);
  return waiting;
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
    if (s->kind != StmtKind::Assign && s->kind != StmtKind::Copy) {
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
      if (s->exprs.size() > 2)
        reads(s->exprs[2]);
      if (s->kind == StmtKind::Copy && base && base->name == array && source &&
          source->name == tile && value->kind == ExprKind::Index)
        return subscripts(value);
      is &= base && base->name != array && base->name != tile;
    }
    reads(value);
  });
  return is;
}

} // namespace nw
