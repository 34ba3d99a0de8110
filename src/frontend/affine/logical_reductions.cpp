// Logical reductions.
#include "frontend/affine/logical_reductions.h"

namespace nw {

namespace {

bool isLogical(const std::string &op) { return op == "&&" || op == "||"; }

// An integer behind what keeps its truth: a conversion to a type that is at least as wide, or of
// what is 0 or 1; a question whether it is 0.
ExprP truthOf(const ExprP &e) {
  const ExprP inner = e->args.empty() ? nullptr : e->args[0];
  if (!inner || !inner->type.isInteger())
    return e;
  bool isAsked = e->kind == ExprKind::Binary && e->name == "!=" &&
                 e->args[1]->kind == ExprKind::Int && e->args[1]->integer == 0;
  bool isZeroOrOne =
      inner->kind == ExprKind::Binary && (isLogical(inner->name) || inner->name == "!=");
  bool isKept = e->kind == ExprKind::Cast && e->type.isInteger() &&
                (isZeroOrOne || bitsOf(e->type.scalar) >= bitsOf(inner->type.scalar));
  return isAsked || isKept ? truthOf(inner) : e;
}

// What is reduced by x op e, (x op e) op f, e op x; null where the variable is not there.
ExprP reduced(const ExprP &given, const ReductionClause &clause) {
  ExprP e = truthOf(given);
  if (e->kind != ExprKind::Binary || e->name != clause.op)
    return nullptr;
  for (int side : {0, 1}) {
    if (ExprP x = truthOf(e->args[size_t(side)]);
        x->kind == ExprKind::Var && x->name == clause.variable)
      return e->args[size_t(1 - side)];
    if (ExprP part = reduced(e->args[size_t(side)], clause))
      return side == 0 ? binary(clause.op, part, e->args[1], kI32)
                       : binary(clause.op, e->args[0], part, kI32);
  }
  return nullptr;
}

// What the step reduces, as a question; null where the statement is not a step.
ExprP asked(const StmtP &s, const ReductionClause &clause) {
  if (!isLogical(clause.op) || s->kind != StmtKind::Assign)
    return nullptr;
  const ExprP &target = s->exprs[0];
  if (target->kind != ExprKind::Var || target->name != clause.variable || !target->type.isInteger())
    return nullptr;
  ExprP e = reduced(s->exprs[1], clause);
  if (!e || mentions(e, clause.variable))
    return nullptr;
  bool isQuestion = e->kind == ExprKind::Binary &&
                    (isLogical(e->name) || e->name == "<" || e->name == "<=" || e->name == ">" ||
                     e->name == ">=" || e->name == "==" || e->name == "!=");
  return isQuestion
             ? e
             : binary("!=", e, e->type.isFloat() ? floatConst(0, e->type) : intConst(0, e->type),
                      kI32);
}

StmtP stepIn(const StmtP &body, const ReductionClause &clause) {
  StmtP found;
  int uses = 0;
  walkExprs(body, [&](const ExprP &e) {
    uses += e->kind == ExprKind::Var && e->name == clause.variable;
    return true;
  });
  walkStmts(body, [&](const StmtP &s) {
    if (asked(s, clause))
      found = s;
  });
  return uses == 2 ? found : nullptr;
}

} // namespace

std::optional<StmtP> reductionOfBits(const StmtP &s, const ReductionClause &clause) {
  ExprP e = asked(s, clause);
  if (!e)
    return std::nullopt;
  const ExprP &target = s->exprs[0];
  const char *op = clause.op == "&&" ? "&" : "|";
  if (target->type.scalar == Scalar::Bool)
    return assign(target, binary(op, target, cast(e, target->type), target->type), s->at);
  Type wide = bitsOf(target->type.scalar) < 32 ? kI32 : target->type;
  ExprP mask = clause.op == "&&" ? select(e, intConst(-1, wide), intConst(0, wide), wide)
                                 : select(e, intConst(1, wide), intConst(0, wide), wide);
  return assign(target, cast(binary(op, cast(target, wide), mask, wide), target->type), s->at);
}

static StmtP withEager(const StmtP &s, const ReductionClause &clause) {
  if (ExprP e = asked(s, clause)) {
    const ExprP &x = s->exprs[0];
    return assign(x,
                  cast(binary(clause.op == "&&" ? "&" : "|",
                              binary("!=", x, intConst(0, x->type), kI32), e, kI32),
                       x->type),
                  s->at);
  }
  auto made = std::make_shared<Stmt>(*s);
  for (StmtP &b : made->body)
    b = withEager(b, clause);
  return made;
}

StmtP withEagerReductions(const StmtP &s) {
  auto made = std::make_shared<Stmt>(*s);
  if (s->kind == StmtKind::For)
    for (const ReductionClause &f : s->loop.reductions)
      if (isLogicalReduction(s->body[0], f))
        made->body[0] = withEager(made->body[0], f);
  for (StmtP &b : made->body)
    b = withEagerReductions(b);
  return made;
}

bool isLogicalReduction(const StmtP &body, const ReductionClause &clause) {
  return stepIn(body, clause) != nullptr;
}

std::optional<StmtP> madeTruth(const StmtP &body, const ReductionClause &clause) {
  StmtP step = stepIn(body, clause);
  if (!step || step->exprs[0]->type.scalar == Scalar::Bool)
    return std::nullopt;
  const ExprP &x = step->exprs[0];
  return assign(x, cast(binary("!=", x, intConst(0, x->type), kI32), x->type), step->at);
}

} // namespace nw
