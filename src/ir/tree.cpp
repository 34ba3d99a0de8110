// Building, walking and rewriting trees.
#include "ir/tree.h"
#include <cmath>

namespace nw {

static std::shared_ptr<Expr> make(ExprKind kind, Type type, std::vector<ExprP> args,
                                  std::string name) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = std::move(type);
  e->args = std::move(args);
  e->name = std::move(name);
  if (!e->args.empty() && e->args[0])
    e->at = e->args[0]->at;
  return e;
}

ExprP intConst(int64_t value, Type type) {
  auto e = make(ExprKind::Int, std::move(type), {}, {});
  e->integer = value;
  return e;
}
ExprP floatConst(double value, Type type) {
  auto e = make(ExprKind::Float, std::move(type), {}, {});
  e->number = value;
  return e;
}
ExprP var(std::string name, Type type) {
  return make(ExprKind::Var, std::move(type), {}, std::move(name));
}
ExprP index(ExprP base, ExprP subscript, Type type) {
  return make(ExprKind::Index, std::move(type), {std::move(base), std::move(subscript)}, {});
}
ExprP member(ExprP base, std::string field, Type type) {
  return make(ExprKind::Member, std::move(type), {std::move(base)}, std::move(field));
}
ExprP unary(std::string op, ExprP a, Type type) {
  return make(ExprKind::Unary, std::move(type), {std::move(a)}, std::move(op));
}
ExprP binary(std::string op, ExprP a, ExprP b, Type type) {
  return make(ExprKind::Binary, std::move(type), {std::move(a), std::move(b)}, std::move(op));
}
ExprP select(ExprP c, ExprP a, ExprP b, Type type) {
  return make(ExprKind::Select, std::move(type), {std::move(c), std::move(a), std::move(b)}, {});
}
ExprP cast(ExprP a, Type type) {
  if (a->type == type)
    return a;
  return make(ExprKind::Cast, std::move(type), {std::move(a)}, {});
}
ExprP call(std::string name, std::vector<ExprP> args, Type type) {
  return make(ExprKind::Call, std::move(type), std::move(args), std::move(name));
}
Scalar valueType(const ExprP &e) {
  auto common = [&](size_t a, size_t b) {
    return commonType(valueType(e->args[a]), valueType(e->args[b]));
  };
  switch (e->kind) {
  case ExprKind::Unary:
    return e->name == "!" ? Scalar::I32 : promoted(valueType(e->args[0]));
  case ExprKind::Binary:
    if (e->name == "<<" || e->name == ">>")
      return promoted(valueType(e->args[0]));
    if (e->name.find_first_of("<>=") != std::string::npos || e->name == "!=" || e->name == "&&" ||
        e->name == "||")
      return Scalar::I32;
    return common(0, 1);
  case ExprKind::Select:
    return e->type.isStruct() ? Scalar::Void : common(1, 2);
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::FloorDiv:
    return common(0, 1);
  case ExprKind::Staged:
    return valueType(e->args[0]);
  default:
    return e->type.scalar;
  }
}
ExprP node(ExprKind kind, std::vector<ExprP> args, Type type, std::string name) {
  return make(kind, std::move(type), std::move(args), std::move(name));
}
ExprP staged(ExprP copy, ExprP element) {
  Type type = copy->type;
  return node(ExprKind::Staged, {std::move(copy), std::move(element)}, type);
}
ExprP at(ExprP e, Location where) {
  auto copy = std::make_shared<Expr>(*e);
  copy->at = where;
  return copy;
}

static std::shared_ptr<Stmt> makeStmt(StmtKind kind, Location at = {}) {
  auto s = std::make_shared<Stmt>();
  s->kind = kind;
  s->at = at;
  return s;
}

bool writesFirst(StmtKind kind) {
  return kind == StmtKind::Assign || kind == StmtKind::Copy || kind == StmtKind::Leave ||
         kind == StmtKind::Take;
}

StmtP block(std::vector<StmtP> body) {
  auto s = makeStmt(StmtKind::Block);
  s->body = std::move(body);
  return s;
}
StmtP instanceBlock(std::string statement, std::vector<ExprP> values, std::vector<StmtP> body) {
  auto s = makeStmt(StmtKind::Block);
  s->name = std::move(statement);
  s->values = std::move(values);
  s->body = std::move(body);
  return s;
}
StmtP assign(ExprP target, ExprP value, Location at) {
  auto s = makeStmt(StmtKind::Assign, at);
  s->exprs = {std::move(target), std::move(value)};
  return s;
}
StmtP ifElse(ExprP cond, StmtP then, StmtP otherwise, Location at) {
  auto s = makeStmt(StmtKind::If, at);
  s->exprs = {std::move(cond)};
  s->body = {std::move(then)};
  if (otherwise)
    s->body.push_back(std::move(otherwise));
  return s;
}
StmtP declare(std::string name, Type type, std::vector<int64_t> extents, std::vector<ExprP> init,
              Location at) {
  auto s = makeStmt(StmtKind::Declare, at);
  s->name = std::move(name);
  s->type = std::move(type);
  s->extents = std::move(extents);
  s->exprs = std::move(init);
  return s;
}

StmtP forLoop(std::string counter, Type type, ExprP start, ExprP condition, ExprP stride,
              StmtP body) {
  auto s = makeStmt(StmtKind::For);
  s->loop.counter = std::move(counter);
  s->loop.type = std::move(type);
  s->loop.start = std::move(start);
  s->loop.condition = std::move(condition);
  if (stride->kind == ExprKind::Int)
    s->loop.step = stride->integer;
  else
    s->loop.stride = std::move(stride);
  s->body = {std::move(body)};
  return s;
}
StmtP marker(StmtKind kind) { return makeStmt(kind); }

void walk(const ExprP &e, const std::function<bool(const ExprP &)> &visit) {
  if (!e || !visit(e))
    return;
  for (const ExprP &a : e->args)
    walk(a, visit);
}

void walkStmts(const StmtP &s, const std::function<void(const StmtP &)> &visit) {
  visit(s);
  for (const StmtP &b : s->body)
    walkStmts(b, visit);
}

void walkExprs(const StmtP &s, const std::function<bool(const ExprP &)> &visit) {
  walkStmts(s, [&](const StmtP &t) {
    for (const ExprP &e : t->exprs)
      walk(e, visit);
    if (t->kind == StmtKind::For) {
      walk(t->loop.start, visit);
      walk(t->loop.condition, visit);
      walk(t->loop.stride, visit);
      walk(t->loop.line.before, visit);
    }
  });
}

ExprP rewrite(const ExprP &e, const std::function<ExprP(const ExprP &)> &change) {
  if (!e)
    return e;
  bool changed = false;
  std::vector<ExprP> args;
  for (const ExprP &a : e->args) {
    args.push_back(rewrite(a, change));
    changed |= args.back() != a;
  }
  if (!changed)
    return change(e);
  auto copy = std::make_shared<Expr>(*e);
  copy->args = std::move(args);
  return change(copy);
}

StmtP rewriteExprs(const StmtP &s, const std::function<ExprP(const ExprP &)> &change) {
  auto copy = std::make_shared<Stmt>(*s);
  for (ExprP &e : copy->exprs)
    e = rewrite(e, change);
  for (StmtP &b : copy->body)
    b = rewriteExprs(b, change);
  if (s->kind == StmtKind::For) {
    copy->loop.start = rewrite(s->loop.start, change);
    copy->loop.condition = rewrite(s->loop.condition, change);
    copy->loop.stride = rewrite(s->loop.stride, change);
    copy->loop.line.before = rewrite(s->loop.line.before, change);
  }
  return copy;
}

const Expr *baseOf(const ExprP &lvalue) {
  const Expr *e = lvalue.get();
  while (e->kind == ExprKind::Index || e->kind == ExprKind::Member || e->kind == ExprKind::Staged)
    e = e->args[0].get();
  return e->kind == ExprKind::Var ? e : nullptr;
}

static bool sameNumber(double a, double b) { // one NaN is as good as another, but not one zero
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

bool sameTree(const ExprP &a, const ExprP &b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->name != b->name || !(a->type == b->type) ||
      a->integer != b->integer || !sameNumber(a->number, b->number) ||
      a->args.size() != b->args.size())
    return false;
  for (size_t k = 0; k < a->args.size(); k++)
    if (!sameTree(a->args[k], b->args[k]))
      return false;
  return true;
}

bool mentions(const ExprP &e, const std::string &name) {
  bool found = false;
  walk(e, [&](const ExprP &x) {
    found |= x->kind == ExprKind::Var && x->name == name;
    return !found;
  });
  return found;
}

bool mentions(const StmtP &s, const std::string &name) {
  bool found = false;
  walkExprs(s, [&](const ExprP &e) {
    found |= isVar(e, name);
    return !found;
  });
  return found;
}

bool isVar(const ExprP &e, const std::string &name) {
  return e->kind == ExprKind::Var && e->name == name;
}

bool isBuiltin(const ExprP &e, const std::string &name) {
  return e->kind == ExprKind::Builtin && e->name == name;
}

bool isComparison(const ExprP &e) {
  return e->kind == ExprKind::Binary && (e->name == "<" || e->name == "<=" || e->name == ">" ||
                                         e->name == ">=" || e->name == "==" || e->name == "!=");
}

const ExprP &withoutWideCasts(const ExprP &e) {
  bool isWide = e->kind == ExprKind::Cast && e->type.isInteger() && bitsOf(e->type.scalar) >= 32 &&
                e->args[0]->type.isInteger();
  return isWide ? withoutWideCasts(e->args[0]) : e;
}

const Expr *elementOf(const ExprP &e, std::vector<ExprP> &subscripts) {
  const Expr *x = e.get();
  for (; x->kind == ExprKind::Index; x = x->args[0].get())
    subscripts.insert(subscripts.begin(), x->args[1]);
  return x->kind == ExprKind::Var ? x : nullptr;
}

} // namespace nw
