// Reduction patterns.
#include "frontend/affine/reductions.h"
#include "support/diagnostics.h"

namespace nw {

static int occurrences(const StmtP &s, const std::string &name) {
  int count = 0;
  walkExprs(s, [&](const ExprP &e) {
    count += e->kind == ExprKind::Var && e->name == name;
    return true;
  });
  return count;
}

// Looks through casts that lose nothing which the target keeps: sums and products modulo a power of two do not mind
// wider arithmetic in between, but a narrower one would cut every partial result.
static const ExprP &withoutCasts(const ExprP &e, const Type &target) {
  const ExprP *x = &e;
  while ((*x)->kind == ExprKind::Cast && (*x)->type.isFloat() == target.isFloat() && (*x)->args[0]->type.isFloat() == target.isFloat() &&
         !(*x)->type.isStruct() && bitsOf((*x)->type.scalar) >= bitsOf(target.scalar) && bitsOf((*x)->args[0]->type.scalar) >= bitsOf(target.scalar))
    x = &(*x)->args[0];
  return *x;
}

// Whether `value` is target op e1 op e2 …, with the target exactly once on a path of this operator.
static bool isChain(const ExprP &value, const ExprP &target, const std::string &op) {
  const ExprP &v = withoutCasts(value, target->type);
  if (sameTree(v, target))
    return true;
  if (v->kind != ExprKind::Binary)
    return false;
  if (op == "+" && v->name == "-")
    return isChain(v->args[0], target, op);
  if (v->name != op)
    return false;
  return isChain(v->args[0], target, op) || isChain(v->args[1], target, op);
}

static std::optional<ReductionKind> extremum(const std::string &comparison, bool takesLeft) {
  if (comparison == "<" || comparison == "<=")
    return takesLeft ? ReductionKind::Min : ReductionKind::Max;
  if (comparison == ">" || comparison == ">=")
    return takesLeft ? ReductionKind::Max : ReductionKind::Min;
  return std::nullopt;
}

// target = c ? a : b with c comparing a and b, one of them the target.
static std::optional<ReductionKind> selection(const ExprP &v, const ExprP &target) {
  if (v->kind == ExprKind::Call && (v->name == "fmin" || v->name == "fmax"))
    if (sameTree(v->args[0], target) || sameTree(v->args[1], target))
      return v->name == "fmin" ? ReductionKind::Min : ReductionKind::Max;
  if (v->kind != ExprKind::Select || v->args[0]->kind != ExprKind::Binary)
    return std::nullopt;
  const ExprP &left = v->args[0]->args[0], &right = v->args[0]->args[1];
  if (!sameTree(left, target) && !sameTree(right, target))
    return std::nullopt;
  if (sameTree(left, v->args[1]) && sameTree(right, v->args[2]))
    return extremum(v->args[0]->name, true);
  if (sameTree(left, v->args[2]) && sameTree(right, v->args[1]))
    return extremum(v->args[0]->name, false);
  return std::nullopt;
}

// The operator of a reduction clause that the fold is.
static std::string clauseOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum: return "+";
  case ReductionKind::Product: return "*";
  case ReductionKind::Min: return "min";
  case ReductionKind::Max: return "max";
  case ReductionKind::And: return "&";
  case ReductionKind::Or: return "|";
  case ReductionKind::Xor: return "^";
  }
  return "";
}

void refuseWrongFolds(const Program &p) {
  for (const Statement &s : p.statements)
    for (int id : s.loops)
      for (const FoldClause &f : p.loop(id).folds)
        for (const Access &a : s.accesses) {
          if (a.array != f.variable || (s.reduction && s.reduction->array == f.variable && clauseOf(s.reduction->kind) == f.op))
            continue;
          std::string spelling = p.arrays.at(f.variable).variable.spelling;
          throw Diagnostic{"NW0302", Severity::Remark, s.at.line ? s.at : f.at, "reduction(" + f.op + ": " + spelling + ") is said of the loop around, but this statement does not fold '" + spelling + "' that way",
                           "write it as one statement: x = x op e, x op= e, if (e > x) x = e, or x = fmax(x, e)"};
        }
}

std::optional<Reduction> findReduction(const StmtP &body) {
  StmtP update, guard;
  int assignments = 0;
  bool plain = true;
  std::function<void(const StmtP &, const StmtP &)> look = [&](const StmtP &s, const StmtP &around) {
    if (s->kind == StmtKind::Assign) {
      const Expr *base = baseOf(s->exprs[0]);
      if (!base)
        plain = false;
      else {
        // Assignments to variables of the body itself do not count.
        bool local = false;
        walkStmts(body, [&](const StmtP &d) { local |= d->kind == StmtKind::Declare && d->name == base->name; });
        if (!local) {
          assignments++;
          update = s;
          guard = around;
        }
      }
    }
    for (const StmtP &b : s->body)
      look(b, s->kind == StmtKind::If ? s : s->kind == StmtKind::Block ? around : nullptr);
    if (s->kind == StmtKind::While || s->kind == StmtKind::DoWhile)
      plain = false;
  };
  look(body, nullptr);
  if (!plain || assignments != 1)
    return std::nullopt;
  const ExprP &target = update->exprs[0], &value = update->exprs[1];
  std::string name = baseOf(target)->name;
  int uses = occurrences(body, name);
  auto found = [&](ReductionKind kind) { return Reduction{name, kind, target, target->type}; };
  if (target->type.isStruct() || target->type.scalar == Scalar::Bool || (target->type.isInteger() && bitsOf(target->type.scalar) < 32))
    return std::nullopt;
  if (uses == 2) {
    static const std::pair<const char *, ReductionKind> kOperators[] = {
        {"+", ReductionKind::Sum}, {"*", ReductionKind::Product}, {"&", ReductionKind::And}, {"|", ReductionKind::Or}, {"^", ReductionKind::Xor}};
    for (auto &[op, kind] : kOperators)
      if (isChain(value, target, op))
        return found(kind);
    if (value->kind == ExprKind::Call)
      if (auto kind = selection(value, target)) {
        Reduction r = found(*kind);
        r.byFunction = true;
        return r;
      }
    // if (e < x) x = e
    if (guard && guard->body.size() == 1 && guard->exprs[0]->kind == ExprKind::Binary) {
      const ExprP &c = guard->exprs[0];
      if (sameTree(c->args[0], value) && sameTree(c->args[1], target))
        if (auto kind = extremum(c->name, true))
          return found(*kind);
      if (sameTree(c->args[1], value) && sameTree(c->args[0], target))
        if (auto kind = extremum(c->name, false))
          return found(*kind);
    }
  }
  if (uses == 3 && value->kind == ExprKind::Select) // the target, in the comparison and as a result; fmin(x, e) has it twice
    if (auto kind = selection(value, target))
      return found(*kind);
  return std::nullopt;
}

} // namespace nw
