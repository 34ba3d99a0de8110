// Flattened subscripts become several.
#include "poly/delinearize.h"
#include "ir/flat_subscript.h"
#include <algorithm>

namespace nw {

namespace {

class Delinearizer {
public:
  explicit Delinearizer(const Program &p) : p(p) {}

  std::optional<Program> run() {
    for (auto &[name, array] : p.arrays)
      if (!array.flatSizes.empty() && array.kind == ArrayKind::Memory &&
          array.extents.size() == 1 && hasRows(array))
        sizes[name] = array.flatSizes;
    for (const Statement &s : p.statements)
      checkUses(s);
    if (sizes.empty())
      return std::nullopt;
    Program out = p;
    madeOf(out, p, Rewriting::Delinearization);
    for (auto &[name, inner] : sizes) {
      Array &array = out.arrays.at(name);
      array.extents = {nullptr};
      array.extents.insert(array.extents.end(), inner.begin(), inner.end());
      array.flatSizes.clear();
    }
    auto change = [&](const ExprP &e) { return withRows(e); };
    for (Statement &s : out.statements) {
      s.body = rewriteExprs(s.body, change);
      for (Access &a : s.accesses)
        for (ExprP &e : a.spellings)
          e = rewrite(e, change);
      if (s.reduction)
        s.reduction->target = rewrite(s.reduction->target, change);
    }
    return out;
  }

private:
  // Sizes that are sums of parameters, and subscripts that are known: each stays in its row, or
  // that would not have been assumed.
  bool hasRows(const Array &array) const {
    for (const ExprP &size : array.flatSizes)
      if (!isSum(size))
        return false;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array.name)
          for (size_t k = 0; k <= array.flatSizes.size(); k++) {
            isl::set touched = a.relation.range();
            if (!isBoundedDim(touched, int(k), true) || !isBoundedDim(touched, int(k), false))
              return false;
          }
    return true;
  }

  bool isSum(const ExprP &e) const {
    switch (e->kind) {
    case ExprKind::Int:
      return true;
    case ExprKind::Cast:
      return e->type.isInteger() && isSum(e->args[0]);
    case ExprKind::Var:
      return std::any_of(p.parameters.begin(), p.parameters.end(),
                         [&](const Parameter &q) { return q.name == e->name; });
    case ExprKind::Binary:
      return !isUnsigned(e->type.scalar) &&
             (e->name == "+" || e->name == "-" ||
              (e->name == "*" && (isNumber(e->args[0]) || isNumber(e->args[1])))) &&
             isSum(e->args[0]) && isSum(e->args[1]);
    default:
      return false;
    }
  }

  static bool isNumber(const ExprP &e) {
    return e->kind == ExprKind::Cast ? isNumber(e->args[0]) : e->kind == ExprKind::Int;
  }

  // Arrays that are used in another way than A[e] are left as they are, and those with elements of
  // others in their subscripts.
  void checkUses(const Statement &s) {
    std::function<void(const ExprP &)> visit = [&](const ExprP &e) {
      if (e->kind == ExprKind::Var)
        sizes.erase(e->name);
      if (e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var) {
        walk(e->args[1], [&](const ExprP &x) {
          if (x->kind == ExprKind::Index || x->kind == ExprKind::Call)
            sizes.erase(e->args[0]->name);
          return true;
        });
        visit(e->args[1]);
        return;
      }
      for (const ExprP &a : e->args)
        visit(a);
    };
    walkExprs(s.body, [&](const ExprP &e) {
      visit(e);
      return false;
    });
  }

  ExprP withRows(const ExprP &e) const {
    if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var)
      return e;
    auto found = sizes.find(e->args[0]->name);
    if (found == sizes.end())
      return e;
    ExprP element = e->args[0];
    for (const ExprP &subscript : splitSubscript(e->args[1], found->second))
      element = at(index(element, subscript, e->type), e->at);
    return element;
  }

  const Program &p;
  std::map<std::string, std::vector<ExprP>> sizes; // of the rows of arrays that get them
};

} // namespace

std::optional<Program> delinearized(const Program &program) { return Delinearizer(program).run(); }

} // namespace nw
