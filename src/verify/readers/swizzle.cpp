// Swizzles.
#include "verify/readers/swizzle.h"
#include "ir/program.h"
#include <map>

namespace nw {

namespace {

struct Swizzled {
  std::vector<int64_t> extents;
  int64_t mask = 0; // 0: not known yet; -1: other accesses
};

// The mask of copy[row][column ^ (row & mask)], or -1.
int64_t maskOf(const ExprP &e) {
  const ExprP &last = e->args[1];
  if (e->args[0]->kind != ExprKind::Index || last->kind != ExprKind::Binary || last->name != "^")
    return -1;
  const ExprP &bits = last->args[1];
  bool is = bits->kind == ExprKind::Binary && bits->name == "&" &&
            sameTree(bits->args[0], e->args[0]->args[1]) && bits->args[1]->kind == ExprKind::Int &&
            bits->args[1]->integer > 0;
  is = is && last->type == kI32 && bits->type == kI32 && bits->args[0]->type == kI32 &&
       last->args[0]->type == kI32;
  int64_t mask = is ? bits->args[1]->integer : -1;
  return (mask & (mask + 1)) == 0 ? mask : -1;
}

} // namespace

StmtP withoutSwizzle(const StmtP &body) {
  std::map<std::string, Swizzled> arrays;
  std::map<std::string, int> declared;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared && s->extents.size() > 1)
      arrays[s->name].extents = s->extents;
    if (s->kind == StmtKind::Shared || s->kind == StmtKind::Declare || s->kind == StmtKind::Window)
      declared[s->name]++;
  });
  auto note = [&](const ExprP &e) {
    std::vector<ExprP> subscripts;
    const Expr *base =
        e->kind == ExprKind::Index || e->kind == ExprKind::Var ? elementOf(e, subscripts) : nullptr;
    auto array = base ? arrays.find(base->name) : arrays.end();
    if (array == arrays.end())
      return true;
    Swizzled &one = array->second;
    int64_t mask =
        subscripts.size() == one.extents.size() && declared[base->name] == 1 ? maskOf(e) : -1;
    one.mask = one.mask == 0 || one.mask == mask ? mask : -1;
    for (const Expr *x = e.get(); x->kind == ExprKind::Index;
         x = x->args[0].get()) // subscripts may hold others
      walk(x->args[1], [&](const ExprP &inner) {
        if (inner->kind == ExprKind::Var && arrays.count(inner->name))
          arrays[inner->name].mask = -1;
        return true;
      });
    return false;
  };
  walkExprs(body, note);
  return rewriteExprs(body, [&](const ExprP &e) -> ExprP {
    std::vector<ExprP> subscripts;
    const Expr *base = e->kind == ExprKind::Index ? elementOf(e, subscripts) : nullptr;
    auto array = base ? arrays.find(base->name) : arrays.end();
    if (array == arrays.end() || subscripts.size() != array->second.extents.size() ||
        array->second.mask < 1 || array->second.extents.back() % (array->second.mask + 1) != 0)
      return e;
    return index(e->args[0], e->args[1]->args[0], e->type);
  });
}

} // namespace nw
