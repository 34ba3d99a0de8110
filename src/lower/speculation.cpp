// Speculation.
#include "lower/speculation.h"
#include <algorithm>

namespace nw {

namespace {

bool isRegister(const ExprP &e, const Speculation &what) {
  const Expr *base = baseOf(e);
  return base && e->kind != ExprKind::Member && what.registers.count(base->name);
}

// An element of memory that no statement of the step writes, at a slot that numbers alone
// determine.
bool isOnlyRead(const ExprP &e, const Program &p, const Step &step) {
  const Expr *base = baseOf(e);
  bool is = base && p.arrays.count(base->name) && p.arrays.at(base->name).kind == ArrayKind::Memory;
  for (const std::string &name : step.statements)
    for (const Access &a : p.find(name)->accesses)
      is &= !base || a.array != base->name || (!a.isWrite && a.isCertain);
  for (const Expr *x = e.get(); is && x->kind == ExprKind::Index; x = x->args[0].get())
    walk(x->args[1], [&](const ExprP &s) {
      return is &= s->kind != ExprKind::Index && s->kind != ExprKind::Call, is;
    });
  return is;
}

// Assignments of floating-point numbers to registers of the point, from registers, shared memory
// and values.
bool isHarmless(const StmtP &s, const Program &p, const Speculation &what) {
  if (s->kind == StmtKind::Block)
    return std::all_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return isHarmless(b, p, what); });
  if (s->kind != StmtKind::Assign || !isRegister(s->exprs[0], what) || !s->exprs[0]->type.isFloat())
    return false;
  bool harmless = true;
  walk(s->exprs[1], [&](const ExprP &e) {
    if (e->kind == ExprKind::Staged)
      return false;
    if ((e->kind == ExprKind::Index || e->kind == ExprKind::Var) && isRegister(e, what))
      return false;
    if (what.step && e->kind == ExprKind::Index) {
      harmless &= isOnlyRead(e, p, *what.step);
      return false;
    }
    harmless &= e->kind == ExprKind::Float || e->kind == ExprKind::Int ||
                e->kind == ExprKind::Cast ||
                (e->kind == ExprKind::Var && !p.arrays.count(e->name)) ||
                ((e->kind == ExprKind::Binary || e->kind == ExprKind::Unary) && e->type.isFloat());
    return harmless;
  });
  return harmless;
}

} // namespace

StmtP speculated(const StmtP &code, const Program &p, const Speculation &what) {
  auto copy = std::make_shared<Stmt>(*code);
  for (StmtP &b : copy->body)
    b = speculated(b, p, what);
  if (code->kind == StmtKind::If && code->body.size() == 1 && what.isPoint &&
      sameTree(code->exprs[0], what.isPoint) && isHarmless(code->body[0], p, what))
    copy->isSpeculated = true;
  return copy;
}

} // namespace nw
