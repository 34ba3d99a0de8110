// Axes that reach conditions.
#include "estimate/block_axes.h"
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace nw {

namespace {

using Axes = unsigned; // a bit for each of x, y and z

bool isOneAtMost(Axes axes) { return (axes & (axes - 1)) == 0; }

Axes ofBuiltin(const std::string &name) {
  if (!name.starts_with("block.") && !name.starts_with("thread."))
    return 0;
  return 1u << (name.back() - 'x');
}

class Flow {
public:
  explicit Flow(const StmtP &body) {
    do {
      grows = false;
      follow(body);
    } while (grows);
  }

  Axes of(const ExprP &e) const {
    switch (e->kind) {
    case ExprKind::Builtin:
      return ofBuiltin(e->name);
    case ExprKind::Var: {
      auto at = variables.find(e->name);
      return at == variables.end() ? 0 : at->second;
    }
    case ExprKind::Index:
      return 0;
    default: {
      Axes all = 0;
      for (const ExprP &a : e->args)
        all |= a ? of(a) : 0;
      return all;
    }
    }
  }

private:
  void add(const std::string &name, Axes axes) {
    Axes &known = variables[name];
    grows |= (known | axes) != known;
    known |= axes;
  }

  // Conditions around an assignment tell what the variable holds, but for those that stand around
  // its declaration, too.
  Axes around(const std::string &name) const {
    auto at = declaredUnder.find(name);
    Axes all = 0;
    for (size_t n = at == declaredUnder.end() ? 0 : at->second; n < conditions.size(); n++)
      all |= conditions[n];
    return all;
  }
  void declare(const std::string &name) {
    auto [at, isNew] = declaredUnder.try_emplace(name, conditions.size());
    at->second = std::min(at->second, conditions.size());
  }

  void follow(const StmtP &s) {
    std::optional<Axes> condition;
    if (s->kind == StmtKind::Declare) {
      declare(s->name);
      for (const ExprP &e : s->exprs)
        add(s->name, of(e));
    }
    if (s->kind == StmtKind::Assign)
      if (const Expr *base = baseOf(s->exprs[0]))
        add(base->name, of(s->exprs[1]) | around(base->name));
    if (s->kind == StmtKind::For) {
      const Loop &l = s->loop;
      condition = of(l.start) | of(l.condition) | (l.stride ? of(l.stride) : 0);
      declare(l.counter);
      add(l.counter, *condition);
    } else if (s->kind == StmtKind::If || s->kind == StmtKind::While ||
               s->kind == StmtKind::DoWhile)
      condition = of(s->exprs[0]);
    if (condition)
      conditions.push_back(*condition);
    for (const StmtP &b : s->body)
      follow(b);
    if (condition)
      conditions.pop_back();
  }

  std::map<std::string, Axes> variables;
  std::map<std::string, size_t> declaredUnder; // how many conditions
  std::vector<Axes> conditions;                // around what is followed
  bool grows = false;
};

// The conditions that && and || and ! put together, each by itself.
bool isEachOfOneAxis(const ExprP &e, const Flow &flow) {
  bool isMade = (e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||")) ||
                (e->kind == ExprKind::Unary && e->name == "!");
  return isMade ? std::ranges::all_of(e->args,
                                      [&](const ExprP &a) { return isEachOfOneAxis(a, flow); })
                : isOneAtMost(flow.of(e));
}

} // namespace

bool needsOneAxis(const StmtP &body, const std::vector<Function> &functions) {
  Flow flow(body);
  bool is = true;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::If || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile)
      is &= isEachOfOneAxis(s->exprs[0], flow);
    if (s->kind == StmtKind::For) // its counter moves: where it starts counts, too
      is &= isEachOfOneAxis(s->loop.condition, flow);
  });
  walkExprs(body, [&](const ExprP &e) {
    if (isComparison(e))
      is &= isOneAtMost(flow.of(e));
    if (e->kind == ExprKind::Select)
      is &= isEachOfOneAxis(e->args[0], flow);
    if (e->kind == ExprKind::Call && flow.of(e))
      is &= std::ranges::none_of(functions, [&](const Function &f) { return f.name == e->name; });
    return is;
  });
  return is;
}

} // namespace nw
