// Parts of reductions.
#include "verify/readers/reduction_parts.h"
#include "ir/evaluate.h"
#include "kernel/reduction_steps.h"
#include "verify/readers/column_sums.h"
#include <cmath>

namespace nw {

bool isNeutral(ReductionKind kind, const ExprP &e) {
  const Type &t = e->type;
  if (t.isFloat()) {
    double x = e->kind == ExprKind::Float ? e->number
               : e->kind == ExprKind::Int ? double(e->integer)
                                          : NAN;
    switch (kind) {
    case ReductionKind::Sum:
      return x == 0;
    case ReductionKind::Product:
      return x == 1;
    case ReductionKind::Min:
      return std::isinf(x) && x > 0;
    case ReductionKind::Max:
      return std::isinf(x) && x < 0;
    default:
      return false;
    }
  }
  if (e->kind != ExprKind::Int)
    return false;
  auto is = [&](const std::string &text) {
    return e->integer ==
           (text[0] == '-' ? int64_t(-std::stoull(text.substr(1))) : int64_t(std::stoull(text)));
  };
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Or:
  case ReductionKind::Xor:
    return e->integer == 0;
  case ReductionKind::Product:
    return e->integer == 1;
  case ReductionKind::And:
    return e->integer == (t.scalar == Scalar::Bool ? 1 : -1);
  case ReductionKind::Min:
    return is(highestOf(t.scalar));
  case ReductionKind::Max:
    return is(lowestOf(t.scalar));
  }
  return false;
}

std::optional<std::pair<ExprP, ExprP>> reduced(const Reduction &r, const ExprP &e) {
  bool isChoice = r.kind == ReductionKind::Min || r.kind == ReductionKind::Max;
  if (isChoice && r.byFunction) {
    if (e->kind == ExprKind::Call && e->name == (r.kind == ReductionKind::Min ? "fmin" : "fmax") &&
        e->args.size() == 2)
      return std::pair(e->args[0], e->args[1]);
    return std::nullopt;
  }
  if (isChoice) {
    const char *op = r.kind == ReductionKind::Min ? "<" : ">";
    if (e->kind == ExprKind::Select && e->args[0]->kind == ExprKind::Binary &&
        e->args[0]->name == op && sameTree(e->args[0]->args[0], e->args[1]) &&
        sameTree(e->args[0]->args[1], e->args[2]))
      return std::pair(e->args[1], e->args[2]);
    return std::nullopt;
  }
  const char *op = r.kind == ReductionKind::Sum       ? "+"
                   : r.kind == ReductionKind::Product ? "*"
                   : r.kind == ReductionKind::And     ? "&"
                   : r.kind == ReductionKind::Or      ? "|"
                                                      : "^";
  if (e->kind == ExprKind::Binary && e->name == op && e->type == r.type)
    return std::pair(e->args[0], e->args[1]);
  return std::nullopt;
}

ExprP addedTo(const Reduction &r, const Stmt &s) {
  std::optional<std::pair<ExprP, ExprP>> parts = reduced(r, s.exprs[1]);
  if (parts && sameTree(parts->first, s.exprs[0]))
    return parts->second;
  return parts && sameTree(parts->second, s.exprs[0]) ? parts->first : nullptr;
}

std::string partialOf(const SchedulePosition &position, const Reduction &r) {
  std::string name;
  walkStmts(position.code, [&](const StmtP &x) {
    if (x->kind == StmtKind::Assign && x->exprs[0]->kind == ExprKind::Var &&
        !sameTree(x->exprs[0], r.target) && position.locals.count(x->exprs[0]->name))
      name = x->exprs[0]->name;
    const Expr *base = x->kind == StmtKind::Assign && x->exprs[0]->kind == ExprKind::Index &&
                               x->exprs[0]->args[0]->kind == ExprKind::Var
                           ? x->exprs[0]->args[0].get()
                           : nullptr;
    if (base && position.locals.count(base->name) && isColumnSum(*position.kernel, base->name))
      name = base->name;
  });
  return name;
}

StmtP alone(StmtP s) {
  while (s->kind == StmtKind::Block && !s->isInstance() && s->body.size() == 1)
    s = s->body[0];
  return s;
}

std::optional<WholeReduction> wholeReduction(const Stmt &b) {
  if (b.kind != StmtKind::Block || b.isInstance() || b.body.size() < 4)
    return std::nullopt;
  const StmtP *at = &b.body[b.body.size() - 4];
  StmtP last = at[3]->kind == StmtKind::If && at[3]->body.size() == 1 && !at[3]->isSpeculated
                   ? alone(at[3]->body[0])
                   : nullptr;
  bool is = at[0]->kind == StmtKind::Declare && at[1]->kind == StmtKind::For &&
            at[2]->kind == StmtKind::Reduce && at[2]->name == at[0]->name &&
            at[2]->collective.axis == kAllThreads && last && last->kind == StmtKind::Assign;
  if (!is)
    return std::nullopt;
  return WholeReduction{at[0].get(), at[1], at[2].get(), at[3]->exprs[0], last.get()};
}

// Of how many threads of a block the condition holds; nothing where it depends on anything else.
static std::optional<int> threadsOf(const ExprP &condition, const std::array<int, 3> &shape) {
  ExprP named = rewrite(condition, [](const ExprP &e) {
    return e->kind == ExprKind::Builtin ? var(e->name, e->type) : e;
  });
  int many = 0;
  for (int t = 0; t < shape[0] * shape[1] * shape[2]; t++) {
    std::optional<int64_t> value = evaluate(named, {{"local.x", t % shape[0]},
                                                    {"local.y", t / shape[0] % shape[1]},
                                                    {"local.z", t / shape[0] / shape[1]}});
    if (!value)
      return std::nullopt;
    many += *value != 0;
  }
  return many;
}

std::string wrongReduction(const WholeReduction &whole, const Reduction &r,
                           const std::array<int, 3> &shape) {
  const Stmt &start = *whole.start;
  if (start.exprs.size() != 1 || !start.extents.empty() || !(start.type == r.type) ||
      !isNeutral(r.kind, start.exprs[0]))
    return "it does not begin with the neutral value";
  if (whole.reduce->collective.op != reductionOperator(r.kind, r.byFunction) ||
      !(whole.reduce->type == r.type))
    return "its values are combined differently";
  return threadsOf(whole.isFirst, shape) == 1 ? "" : "its result is used by several threads";
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
