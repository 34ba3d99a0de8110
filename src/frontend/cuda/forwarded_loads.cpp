// Loads that move into loops. Arrays that may overlap are asked about at each launch, so that an array that the kernel does not write stays as it is.
#include "frontend/cuda/forwarded_loads.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

class Forwarding {
public:
  Forwarding(const StmtP &code, const std::map<std::string, Variable> &variables) : variables(variables) {
    walkStmts(code, [&](const StmtP &s) {
      if (s->kind == StmtKind::Assign)
        if (const Expr *base = baseOf(s->exprs[0]))
          set.insert(base->name);
    });
  }

  StmtP run(const StmtP &s) {
    auto copy = std::make_shared<Stmt>(*s);
    for (size_t k = 0; k < copy->body.size(); k++)
      if (const StmtP &d = copy->body[k]; s->kind == StmtKind::Block && isLoad(*d)) {
        bool isUsed = false;
        for (size_t later = k + 1; later < copy->body.size(); later++) {
          copy->body[later] = inLoops(copy->body[later], d->name, cast(d->exprs[0], d->type));
          isUsed |= isMentioned(copy->body[later], d->name);
        }
        if (!isUsed)
          copy->body[k] = block({});
      }
    for (StmtP &b : copy->body)
      b = run(b);
    return copy;
  }

private:
  // type name = element, and nothing else is ever put there. The element's place is the same as long as the variable is there.
  bool isLoad(const Stmt &d) const {
    if (d.kind != StmtKind::Declare || d.exprs.size() != 1 || !d.extents.empty() || d.type.isStruct() || set.count(d.name))
      return false;
    ExprP e = d.exprs[0];
    while (e->kind == ExprKind::Cast)
      e = e->args[0];
    const Expr *base = baseOf(e);
    auto array = base ? variables.find(base->name) : variables.end();
    bool is = e->kind == ExprKind::Index && array != variables.end() && array->second.isPointer && !set.count(base->name);
    walk(e, [&](const ExprP &x) {
      is &= x->kind == ExprKind::Int || x->kind == ExprKind::Cast || x->kind == ExprKind::Binary || x->kind == ExprKind::Unary || (x->kind == ExprKind::Var && !set.count(x->name)) ||
            (x->kind == ExprKind::Index && x == e);
      return is;
    });
    return is;
  }

  // The outermost loops that could be shared out, with the element in place of the variable.
  static StmtP inLoops(const StmtP &s, const std::string &name, const ExprP &element) {
    if (s->kind == StmtKind::For && isMentioned(s, name) && couldBeShared(s))
      return rewriteExprs(s, [&](const ExprP &e) { return e->kind == ExprKind::Var && e->name == name ? element : e; });
    auto copy = std::make_shared<Stmt>(*s);
    for (StmtP &b : copy->body)
      b = inLoops(b, name, element);
    return copy;
  }

  // All that it sets are elements of its iteration's own, or variables of its iteration.
  static bool couldBeShared(const StmtP &loop) {
    std::set<std::string> own;
    walkStmts(loop, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        own.insert(s->name);
    });
    bool could = true;
    walkStmts(loop, [&](const StmtP &s) {
      could &= s->kind != StmtKind::While && s->kind != StmtKind::DoWhile && s->kind != StmtKind::Break;
      if (s->kind == StmtKind::Assign) {
        const Expr *base = baseOf(s->exprs[0]);
        could &= base && (own.count(base->name) || (s->exprs[0]->kind == ExprKind::Index && mentions(s->exprs[0], loop->loop.counter)));
      }
    });
    return could;
  }

  static bool isMentioned(const StmtP &s, const std::string &name) {
    bool is = false;
    walkExprs(s, [&](const ExprP &e) {
      is |= e->kind == ExprKind::Var && e->name == name;
      return !is;
    });
    return is;
  }

  const std::map<std::string, Variable> &variables;
  std::set<std::string> set; // what is assigned anywhere
};

} // namespace

StmtP withForwardedLoads(const StmtP &code, const std::map<std::string, Variable> &variables) { return Forwarding(code, variables).run(code); }

} // namespace nw
