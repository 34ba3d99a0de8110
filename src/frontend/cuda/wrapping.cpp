// Sums and products without a sign.
#include "frontend/cuda/wrapping.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

bool isWide(const Type &t) { return t.isInteger() && bitsOf(t.scalar) >= 32; }

// Subscripts that are computed in 32 bits without a sign, such as blockIdx.x * n + j, would be
// right only where nothing wraps. They are made of sums and products of what is not negative: then
// nothing wraps where the largest of them is small enough, which is checked at each launch, and
// they are computed in 64 bits.
class Widening {
public:
  Widening(NoWrap &made, const std::map<std::string, Variable> &variables)
      : made(made), variables(variables) {}

  StmtP run(const StmtP &s) {
    auto copy = std::make_shared<Stmt>(*s);
    for (ExprP &e : copy->exprs)
      e = expression(e);
    if (s->kind == StmtKind::For) {
      copy->loop.start = expression(s->loop.start);
      bool begins =
          s->loop.start->kind == ExprKind::Int && s->loop.start->integer >= 0 && s->loop.step > 0;
      if (begins)
        fromZero.insert(s->loop.counter);
      copy->loop.condition = expression(s->loop.condition);
      for (StmtP &b : copy->body)
        b = run(b);
      if (begins)
        fromZero.erase(s->loop.counter);
      return copy;
    }
    for (StmtP &b : copy->body)
      b = run(b);
    return copy;
  }

private:
  ExprP expression(const ExprP &e) {
    return rewrite(e, [&](const ExprP &x) -> ExprP {
      const Expr *base = x->kind == ExprKind::Index ? baseOf(x) : nullptr;
      if (!base || x->args[0]->kind != ExprKind::Var || !mayWrap(x->args[1]))
        return x;
      std::set<std::string> read;
      ExprP wide = widened(x->args[1], read);
      if (!wide)
        return x;
      note(made.lessThan31Bits, base->name);
      for (const std::string &name : read)
        note(made.notNegative, name);
      return at(index(x->args[0], wide, x->type), x->at);
    });
  }

  static void note(std::vector<std::string> &list, const std::string &name) {
    if (std::find(list.begin(), list.end(), name) == list.end())
      list.push_back(name);
  }

  static bool mayWrap(const ExprP &e) {
    bool found = false;
    walk(e, [&](const ExprP &x) {
      found |= x->kind == ExprKind::Binary && x->type == typeOf(Scalar::U32);
      return !found;
    });
    return found;
  }

  ExprP widened(const ExprP &e, std::set<std::string> &read) const {
    if (!isWide(e->type))
      return nullptr;
    if (e->kind == ExprKind::Int)
      return e->integer >= 0 ? intConst(e->integer) : nullptr;
    if (e->kind == ExprKind::Cast)
      return widened(e->args[0], read);
    if (e->kind == ExprKind::Var) {
      auto v = variables.find(e->name);
      if (fromZero.count(e->name))
        return cast(e, kI64);
      if (v == variables.end() || v->second.inside || v->second.isArray())
        return nullptr;
      read.insert(e->name);
      return cast(e, kI64);
    }
    if (e->kind != ExprKind::Binary || (e->name != "+" && e->name != "*"))
      return nullptr;
    ExprP a = widened(e->args[0], read), b = widened(e->args[1], read);
    return a && b ? binary(e->name, a, b, kI64) : nullptr;
  }

  NoWrap &made;
  const std::map<std::string, Variable> &variables;
  std::set<std::string> fromZero; // counters that are never negative
};

} // namespace

StmtP withWideSubscripts(const StmtP &tree, const std::map<std::string, Variable> &variables,
                         NoWrap &assumed) {
  return Widening(assumed, variables).run(tree);
}

} // namespace nw
