// Parts of reductions.
#include "verify/readers/reduction_parts.h"
#include "kernel/reduction_steps.h"
#include <algorithm>

namespace nw {

bool isNeutral(const Reduction &r, const ExprP &e) {
  return e->type == r.type && sameTree(e, identityOf(r));
}

ExprP addedTo(const Reduction &r, const Stmt &s) {
  for (const ExprP &a : s.exprs[1]->args)
    if (sameTree(s.exprs[1], reducedBy(operatorOf(r), s.exprs[0], a)))
      return a;
  return nullptr;
}

std::string partialOf(const SchedulePosition &position, const Reduction &r) {
  std::string name;
  walkStmts(position.code, [&](const StmtP &x) {
    const Expr *to = x->kind == StmtKind::Assign ? baseOf(x->exprs[0]) : nullptr;
    if (to && !sameTree(x->exprs[0], r.target) && position.locals.count(to->name) &&
        (x->exprs[0]->kind == ExprKind::Var || isColumnSum(*position.kernel, to->name)))
      name = to->name;
  });
  return name;
}

StmtP alone(StmtP s) {
  while (s->kind == StmtKind::Block && !s->isInstance() && s->body.size() == 1)
    s = s->body[0];
  return s;
}

bool isColumnSum(const Kernel &kernel, const std::string &variable) {
  return std::any_of(kernel.body->body.begin(), kernel.body->body.end(), [&](const StmtP &s) {
    return s->kind == StmtKind::Declare && s->owners > 0 && s->name == variable;
  });
}

static bool isDeclared(const Stmt &s, const std::string &name) {
  return s.kind == StmtKind::For ? s.loop.counter == name
                                 : !s.isInstance() && s.kind != StmtKind::Reduce && s.name == name;
}

static int usesOf(const ExprP &e, const std::string &variable) {
  int many = 0;
  walk(e, [&](const ExprP &x) { return many += isVar(x, variable), true; });
  return many;
}

int usesOf(const StmtP &code, const std::string &variable) {
  int many = 0;
  walkExprs(code, [&](const ExprP &e) { return many += isVar(e, variable), true; });
  walkStmts(code, [&](const StmtP &s) {
    many += isDeclared(*s, variable) || (s->kind == StmtKind::Reduce && s->name == variable);
  });
  return many;
}

// Uses by anything but instances.
static int usesOutside(const StmtP &code, const std::string &variable) {
  int many = usesOf(code, variable);
  walkStmts(code, [&](const StmtP &s) { many -= s->isInstance() ? usesOf(s, variable) : 0; });
  return many;
}

// For all columns, { sums[column] = neutral }.
static bool setsAllColumns(const StmtP &s, const std::string &sums, const Reduction &r) {
  if (s->kind != StmtKind::For || s->loop.cyclic.turns < 1)
    return false;
  StmtP code = alone(s->body[0]);
  return code->kind == StmtKind::Assign && code->exprs[0]->kind == ExprKind::Index &&
         isVar(code->exprs[0]->args[0], sums) && isNeutral(r, code->exprs[1]) &&
         usesOf(s, sums) == 1;
}

// The statement inside of guards, and inside of the loop over columns where there is one.
static StmtP guardedBy(StmtP s, bool isOfColumns, std::vector<ExprP> &guards) {
  for (s = alone(s); s->body.size() == 1 && !s->isInstance(); s = alone(s->body[0]))
    if (s->kind == StmtKind::If && !s->isSpeculated)
      guards.push_back(s->exprs[0]);
    else if (!isOfColumns || s->kind != StmtKind::For || s->loop.cyclic.turns < 1)
      break;
  return s;
}

// target = target op variable, or the variable is left.
static bool isResult(const Stmt &s, const std::string &variable, const Reduction &r) {
  ExprP taken = s.kind == StmtKind::Leave ? s.exprs[1] : addedTo(r, s);
  if (s.kind == StmtKind::Leave && taken->kind == ExprKind::Index)
    taken = taken->args[0];
  return taken && isVar(taken, variable);
}

std::string wrongGathering(const Stmt &b, const std::string &variable, const Reduction &r,
                           Gathering &found) {
  std::vector<StmtP> uses;
  for (const StmtP &s : b.body)
    if (usesOf(s, variable) > 0)
      uses.push_back(s);
  if (uses.empty() || uses[0]->kind != StmtKind::Declare || !(uses[0]->type == r.type))
    return "its register is touched before it begins";
  bool isSum = uses[0]->owners > 0;
  bool begins = isSum ? uses.size() > 1 && setsAllColumns(uses[1], variable, r)
                      : uses[0]->exprs.size() == 1 && uses[0]->extents.empty() &&
                            isNeutral(r, uses[0]->exprs[0]);
  if (!begins)
    return "it does not begin with the neutral value";
  auto first = uses.begin() + (isSum ? 2 : 1), put = first;
  while (put != uses.end() && (*put)->kind != StmtKind::Reduce && usesOutside(*put, variable) == 0)
    found.instances.push_back(*put++);
  if (!isSum && (put == uses.end() || (*put)->kind != StmtKind::Reduce))
    return "its register is touched outside the instances";
  if (!isSum) {
    found.reduce = put++->get();
    if (found.reduce->collective.op != operatorOf(r) || !(found.reduce->type == r.type))
      return "its values are combined differently";
  }
  if (uses.end() - put != 1)
    return "its result is not used exactly once";
  found.result = guardedBy(*put, isSum, found.guards);
  if (found.result->kind != StmtKind::Assign && found.result->kind != StmtKind::Leave)
    return "its result is not used by one assignment after the reduction";
  bool isAll = usesOf(*put, variable) == usesOf(found.result->exprs[1], variable);
  return isAll && isResult(*found.result, variable, r)
             ? ""
             : "its result is not used by one assignment after the reduction";
}

std::string shapeOf(const ExprP &e, std::vector<ExprP> &subscripts) {
  if (e->kind == ExprKind::Index) {
    std::string base = shapeOf(e->args[0], subscripts);
    subscripts.push_back(e->args[1]);
    return base + "[]";
  }
  return e->kind == ExprKind::Member ? shapeOf(e->args[0], subscripts) + "." + e->name : e->name;
}

} // namespace nw
