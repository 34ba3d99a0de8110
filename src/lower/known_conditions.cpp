// Known conditions.
#include "lower/known_conditions.h"
#include "ir/linear_tree.h"
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

class Known {
public:
  explicit Known(const isl::set &context) : context(context) {
    for (const std::string &name : paramNames(context.get_space()))
      names.insert(name);
  }

  // 1: always, 0: never, nothing: that depends.
  std::optional<bool> holds(const ExprP &c) const {
    if (c->kind == ExprKind::Cast && c->type.isInteger() && c->args[0]->type.isInteger())
      return c->args[0]->kind == ExprKind::Binary ? holds(c->args[0]) : std::nullopt;
    if (c->kind == ExprKind::Unary && c->name == "!") {
      std::optional<bool> inner = holds(c->args[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (c->kind != ExprKind::Binary)
      return std::nullopt;
    if (c->name == "&&" || c->name == "||") {
      std::optional<bool> a = holds(c->args[0]), b = holds(c->args[1]);
      bool decides = c->name == "||";
      if ((a && *a == decides) || (a && b && *b == decides))
        return decides;
      return a && b ? std::optional(!decides) : std::nullopt;
    }
    static const std::set<std::string> comparisons = {"<", "<=", ">", ">=", "=="};
    if (!comparisons.count(c->name))
      return std::nullopt;
    std::optional<LinearSum> a = linearSumOf(c->args[0]), b = linearSumOf(c->args[1]);
    if (!a || !b)
      return std::nullopt;
    LinearSum difference = *a - *b;
    std::string list;
    for (auto &[name, factor] : difference.factors) {
      if (!names.count(name))
        return std::nullopt;
      list += (list.empty() ? "" : ", ") + name;
    }
    isl::set when(context.ctx(), fmt::format("[{}] -> {{ : {} {} 0 }}", list, textOf(difference),
                                             c->name == "==" ? "=" : c->name));
    if (context.is_subset(when))
      return true;
    return context.intersect(when).is_empty() ? std::optional(false) : std::nullopt;
  }

private:
  const isl::set &context;
  std::set<std::string> names;
};

} // namespace

StmtP withoutKnownConditions(const StmtP &code, const isl::set &context) {
  Known known(context);
  return rewriteExprs(code, [&](const ExprP &e) -> ExprP {
    if (e->kind != ExprKind::Select)
      return e;
    std::optional<bool> holds = known.holds(e->args[0]);
    return holds ? cast(e->args[*holds ? 1 : 2], e->type) : e;
  });
}

} // namespace nw
