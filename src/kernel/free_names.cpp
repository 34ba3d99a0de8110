// Free names.
#include "kernel/free_names.h"
#include <set>

namespace nw {

namespace {

struct FreeNames {
  std::set<std::string> declared;
  std::map<std::string, Type> free;

  void note(const ExprP &e) {
    walk(e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Var && !declared.count(x->name))
        free.emplace(x->name, x->type);
      return true;
    });
  }

  void look(const StmtP &s) {
    std::set<std::string> around = declared;
    declared.insert(s->copy.counters.begin(), s->copy.counters.end());
    for (const ExprP &e : s->exprs)
      note(e);
    declared = around;
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared || s->kind == StmtKind::Window)
      declared.insert(s->name);
    std::set<std::string> outer = declared;
    if (s->kind == StmtKind::For) {
      note(s->loop.start);
      note(s->loop.line.before);
      declared.insert(s->loop.counter);
      note(s->loop.condition);
      note(s->loop.stride);
    }
    for (const StmtP &b : s->body) {
      look(b);
      if (s->kind != StmtKind::Block)
        declared = outer;
    }
    if (s->kind == StmtKind::For)
      declared = outer;
  }
};

} // namespace

std::map<std::string, Type> freeNames(const StmtP &code) {
  FreeNames names;
  names.look(code);
  return names.free;
}

} // namespace nw
