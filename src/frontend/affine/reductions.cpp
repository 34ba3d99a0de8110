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

// Looks through casts that lose nothing which the target keeps: sums and products modulo a power of
// two do not mind wider arithmetic in between, but a narrower one would cut every partial result.
static const ExprP &withoutCasts(const ExprP &e, const Type &target) {
  const ExprP *x = &e;
  while ((*x)->kind == ExprKind::Cast && (*x)->type.isFloat() == target.isFloat() &&
         (*x)->args[0]->type.isFloat() == target.isFloat() && !(*x)->type.isStruct() &&
         bitsOf((*x)->type.scalar) >= bitsOf(target.scalar) &&
         bitsOf((*x)->args[0]->type.scalar) >= bitsOf(target.scalar))
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

// Small integers are compared, and chosen from, as int: without what only widens them, and without
// what cuts them back to what they were.
static ExprP withoutPromotions(const ExprP &e) {
  auto isSmall = [](const Type &t) {
    return t.isInteger() && t.scalar != Scalar::Bool && bitsOf(t.scalar) < 32;
  };
  if (e->kind != ExprKind::Cast)
    return e;
  if ((e->type.scalar == Scalar::I32 || e->type.scalar == Scalar::I64) && isSmall(e->args[0]->type))
    return withoutPromotions(e->args[0]);
  if (isSmall(e->type)) {
    ExprP inner = withoutPromotions(e->args[0]);
    bool isChoice = inner->kind == ExprKind::Select &&
                    withoutPromotions(inner->args[1])->type == e->type &&
                    withoutPromotions(inner->args[2])->type == e->type;
    if (inner->type == e->type || isChoice)
      return inner;
  }
  return e;
}

static std::optional<ReductionKind> extremum(const std::string &comparison, bool takesLeft) {
  if (comparison == "<" || comparison == "<=")
    return takesLeft ? ReductionKind::Min : ReductionKind::Max;
  if (comparison == ">" || comparison == ">=")
    return takesLeft ? ReductionKind::Max : ReductionKind::Min;
  return std::nullopt;
}

// target = c ? a : b with c comparing a and b, one of them the target.
static std::optional<ReductionKind> selection(const ExprP &value, const ExprP &target) {
  ExprP v = withoutPromotions(value);
  if (v->kind == ExprKind::Call && (v->name == "fmin" || v->name == "fmax"))
    if (sameTree(v->args[0], target) || sameTree(v->args[1], target))
      return v->name == "fmin" ? ReductionKind::Min : ReductionKind::Max;
  if (v->kind != ExprKind::Select || v->args[0]->kind != ExprKind::Binary)
    return std::nullopt;
  ExprP left = withoutPromotions(v->args[0]->args[0]),
        right = withoutPromotions(v->args[0]->args[1]), yes = withoutPromotions(v->args[1]),
        no = withoutPromotions(v->args[2]);
  if (!sameTree(left, target) && !sameTree(right, target))
    return std::nullopt;
  if (sameTree(left, yes) && sameTree(right, no))
    return extremum(v->args[0]->name, true);
  if (sameTree(left, no) && sameTree(right, yes))
    return extremum(v->args[0]->name, false);
  return std::nullopt;
}

// The operator of a reduction clause that the reduction is.
static std::string clauseOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return "+";
  case ReductionKind::Product:
    return "*";
  case ReductionKind::Min:
    return "min";
  case ReductionKind::Max:
    return "max";
  case ReductionKind::And:
    return "&";
  case ReductionKind::Or:
    return "|";
  case ReductionKind::Xor:
    return "^";
  }
  return "";
}

// Logical reductions have become reductions of bits, see logical_reductions.h.
static bool keeps(const std::string &op, ReductionKind kind) {
  return (op == "&&" ? "&" : op == "||" ? "|" : op) == clauseOf(kind);
}

// Where the body changes the variable.
static Location changedAt(const StmtP &body, const std::string &variable, Location otherwise) {
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Assign && s->at.line)
      if (const Expr *base = baseOf(s->exprs[0]); base && base->name == variable)
        otherwise = s->at;
  });
  return otherwise;
}

void refuseWrongReductions(const Program &p) {
  for (const Statement &s : p.statements)
    for (int id : s.loops)
      for (const ReductionClause &f : p.loop(id).reductions)
        for (const Access &a : s.accesses) {
          if (a.array != f.variable ||
              (s.reduction && s.reduction->array == f.variable && keeps(f.op, s.reduction->kind)))
            continue;
          std::string spelling = p.arrays.at(f.variable).variable.spelling;
          throw Diagnostic{"NW0302", Severity::Remark,
                           changedAt(s.body, f.variable, s.at.line ? s.at : f.at),
                           "reduction(" + f.op + ": " + spelling +
                               ") is on the loop around, but this statement does not reduce '" +
                               spelling + "' that way",
                           "write it as one statement: x = x op e, x op= e, if (e > x) x = e, or x "
                           "= fmax(x, e)"};
        }
}

// Whether the code is that statement and nothing else.
static bool isAlone(const StmtP &code, const StmtP &statement) {
  return code == statement || (code->kind == StmtKind::Block && code->body.size() == 1 &&
                               isAlone(code->body[0], statement));
}

std::optional<Reduction> findReduction(const StmtP &body) {
  StmtP update, guard;
  int assignments = 0;
  bool plain = true;
  std::function<void(const StmtP &, const StmtP &)> look = [&](const StmtP &s,
                                                               const StmtP &around) {
    if (s->kind == StmtKind::Assign) {
      const Expr *base = baseOf(s->exprs[0]);
      if (!base)
        plain = false;
      else {
        // Assignments to variables of the body itself do not count.
        bool local = false;
        walkStmts(body, [&](const StmtP &d) {
          local |= d->kind == StmtKind::Declare && d->name == base->name;
        });
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
  if (target->type.isStruct())
    return std::nullopt;
  if (target->type.scalar == Scalar::Bool &&
      !(value->kind == ExprKind::Binary && value->type == target->type &&
        (value->name == "&" || value->name == "|")))
    return std::nullopt; // C computes with int and asks whether that is 0: only reductions of bits
                         // keep to 0 and 1, see logical_reductions.h
  if (uses == 2) {
    static const std::pair<const char *, ReductionKind> kOperators[] = {
        {"+", ReductionKind::Sum},
        {"*", ReductionKind::Product},
        {"&", ReductionKind::And},
        {"|", ReductionKind::Or},
        {"^", ReductionKind::Xor}};
    for (auto &[op, kind] : kOperators)
      if (isChain(value, target, op))
        return found(kind);
    if (value->kind == ExprKind::Call)
      if (auto kind = selection(value, target)) {
        Reduction r = found(*kind);
        r.byFunction = true;
        return r;
      }
    // if (e < x) x = e; with more beside it, e may be another value by then, or the code goes on
    // elsewhere once x has changed
    if (guard && guard->body.size() == 1 && isAlone(guard->body[0], update) &&
        guard->exprs[0]->kind == ExprKind::Binary) {
      const ExprP &c = guard->exprs[0];
      ExprP left = withoutPromotions(c->args[0]), right = withoutPromotions(c->args[1]),
            taken = withoutPromotions(value);
      if (sameTree(left, taken) && sameTree(right, target))
        if (auto kind = extremum(c->name, true))
          return found(*kind);
      if (sameTree(right, taken) && sameTree(left, target))
        if (auto kind = extremum(c->name, false))
          return found(*kind);
    }
  }
  if (uses == 3 &&
      withoutPromotions(value)->kind == ExprKind::Select) // the target, in the comparison and as a
                                                          // result; fmin(x, e) has it twice
    if (auto kind = selection(value, target))
      return found(*kind);
  return std::nullopt;
}

} // namespace nw
