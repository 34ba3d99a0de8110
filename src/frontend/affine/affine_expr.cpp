// Reading expressions as affine functions. C's truncating division and unsigned wrapping are
// respected.
#include "frontend/affine/affine_expr.h"
#include <climits>
#include <fmt/format.h>

namespace nw {

using Value = std::optional<isl::pw_aff>;

AffineReader::AffineReader(isl::ctx ctx, const std::map<std::string, Variable> &variables,
                           std::set<std::string> written, bool wraps)
    : ctx(ctx), wraps(wraps), variables(variables), written(std::move(written)),
      violated(isl::set(ctx, "{ : false }")) {}

bool AffineReader::mayWrap(const Type &type) const {
  return (wraps || isUnsigned(type.scalar)) && bitsOf(type.scalar) < 64;
}

static isl::pw_aff constant(const Scope &scope, long value) {
  return constantOn(scope.domain.get_space(), intVal(scope.domain.ctx(), value));
}

static std::optional<long> constantOf(const isl::pw_aff &a) {
  std::optional<long> found;
  if (isl_pw_aff_n_piece(a.get()) != 1 || !isl_pw_aff_is_cst(a.get()))
    return found;
  isl_pw_aff_foreach_piece(
      a.get(),
      [](isl_set *set, isl_aff *aff, void *user) {
        if (isl_set_plain_is_universe(set) == isl_bool_true)
          *static_cast<std::optional<long> *>(user) =
              longOf(isl::manage(isl_aff_get_constant_val(aff)));
        isl_set_free(set);
        isl_aff_free(aff);
        return isl_stat_ok;
      },
      &found);
  return found;
}

bool AffineReader::isInvariant(const ExprP &e) const {
  bool ok = true;
  walk(e, [&](const ExprP &x) {
    if (x->kind == ExprKind::Var) {
      auto v = variables.find(x->name);
      ok &= v != variables.end() && !v->second.isArray() && !written.count(x->name) &&
            !v->second.inside && x->type.isInteger();
    } else if (x->kind == ExprKind::Binary) {
      ok &= x->name == "+" || x->name == "-" || x->name == "*";
    } else {
      ok &= x->kind == ExprKind::Int || x->kind == ExprKind::Cast ||
            (x->kind == ExprKind::Unary && x->name == "-");
    }
    return ok;
  });
  return ok && e->type.isInteger();
}

std::optional<std::string> AffineReader::parameter(const ExprP &e) {
  if (!isInvariant(e))
    return std::nullopt;
  for (const Known &p : parameters)
    if (sameTree(p.value, e))
      return p.name;
  std::string name =
      e->kind == ExprKind::Var ? e->name : fmt::format("nw_value{}", parameters.size());
  parameters.push_back({name, e, e->type});
  return name;
}

isl::set AffineReader::context() const {
  isl::set all(ctx, "{ : }");
  for (const Known &p : parameters) {
    if (p.type.scalar == Scalar::U64 || p.type.scalar == Scalar::I64)
      all = all.intersect(
          isl::set(ctx, fmt::format("[{0}] -> {{ : {1} <= {0} <= 4611686018427387904 }}", p.name,
                                    isUnsigned(p.type.scalar) ? "0" : "-4611686018427387904")));
    else
      all = all.intersect(
          isl::set(ctx, fmt::format("[{0}] -> {{ : {1} <= {0} <= {2} }}", p.name,
                                    lowestOf(p.type.scalar), highestOf(p.type.scalar))));
  }
  return all;
}

isl::set AffineReader::assumptions() const {
  return context().subtract(violated).coalesce().gist(context());
}

bool AffineReader::assumeEmpty(const isl::set &bad) {
  isl::set parameters = onlyParams(bad).intersect(context());
  if (parameters.is_empty())
    return true;
  isl::set all = violated.unite(isl::manage(isl_set_remove_divs(parameters.copy()))).coalesce();
  if (context().is_subset(all))
    return false;
  if (isl_set_n_basic_set(all.get()) > 24)
    return false;
  violated = all;
  return true;
}

// The value itself when it fits the type at every point of the domain, or under an assumption.
Value AffineReader::inRange(isl::pw_aff v, const Type &type, const Scope &scope) {
  if (type.scalar == Scalar::I64)
    return v;
  isl::pw_aff low = constantOn(scope.domain.get_space(), intVal(ctx, lowestOf(type.scalar)));
  isl::pw_aff high = constantOn(scope.domain.get_space(), intVal(ctx, highestOf(type.scalar)));
  isl::set bad = v.lt_set(low).unite(v.gt_set(high)).intersect(scope.domain);
  if (!assumeEmpty(bad))
    return std::nullopt;
  return v;
}

// The result of arithmetic in a type, which must not have wrapped around.
Value AffineReader::computed(isl::pw_aff v, const Type &type, const Scope &scope) {
  return wraps || isUnsigned(type.scalar) ? inRange(v, type, scope) : v;
}

Value AffineReader::division(const ExprP &e, const Scope &scope) {
  Value a = value(e->args[0], scope), b = value(e->args[1], scope);
  if (!a || !b)
    return std::nullopt;
  std::optional<long> by = constantOf(*b);
  if (!by || *by == 0 || *by == LONG_MIN)
    return std::nullopt;
  bool negative = *by < 0;
  isl::val divisor = intVal(ctx, negative ? -*by : *by);
  isl::pw_aff scaled = isl::manage(isl_pw_aff_scale_down_val(a->copy(), divisor.copy()));
  isl::pw_aff zero = constant(scope, 0);
  isl::pw_aff quotient = scaled.floor();
  // Truncation rounds towards zero: up for negative dividends, where there are any.
  isl::set below = a->lt_set(zero);
  if (!below.intersect(scope.domain).is_empty()) {
    isl::pw_aff up = scaled.ceil();
    quotient = isl::manage(isl_pw_aff_union_add(
        isl_pw_aff_intersect_domain(quotient.release(), below.complement().release()),
        isl_pw_aff_intersect_domain(up.release(), below.copy())));
  }
  if (negative)
    quotient = quotient.neg();
  if (e->name == "/")
    return quotient;
  return a->sub(isl::manage(isl_pw_aff_scale_val(quotient.release(), intVal(ctx, *by).release())));
}

Value AffineReader::arithmetic(const ExprP &e, const Scope &scope) {
  const std::string &op = e->name;
  if (op == "/" || op == "%")
    return division(e, scope);
  Value a = value(e->args[0], scope), b = value(e->args[1], scope);
  if (!a || !b)
    return std::nullopt;
  std::optional<long> left = constantOf(*a), right = constantOf(*b);
  auto scaled = [&](isl::pw_aff x, long by) {
    return isl::manage(isl_pw_aff_scale_val(x.release(), intVal(ctx, by).release()));
  };
  if (op == "+")
    return a->add(*b);
  if (op == "-")
    return a->sub(*b);
  if (op == "*" && right)
    return scaled(*a, *right);
  if (op == "*" && left)
    return scaled(*b, *left);
  if (op == "<<" && right && *right >= 0 && *right < 31)
    return scaled(*a, 1L << *right);
  if (op == ">>" && right && *right >= 0 && *right < 63)
    return isl::manage(isl_pw_aff_scale_down_val(a->copy(), intVal(ctx, 1L << *right).release()))
        .floor();
  if (op == "&" && right && *right >= 0 && *right < LONG_MAX && ((*right + 1) & *right) == 0)
    return a->mod(intVal(ctx, *right + 1));
  return std::nullopt;
}

Value AffineReader::value(const ExprP &e, const Scope &scope) {
  if (!e->type.isInteger())
    return std::nullopt;
  isl::space space = scope.domain.get_space();
  switch (e->kind) {
  case ExprKind::Int:
    if (e->type.scalar == Scalar::U64 && e->integer < 0)
      return std::nullopt; // beyond what the model's numbers are meant for
    return constant(scope, e->integer);
  case ExprKind::Var: {
    for (size_t k = scope.counters.size(); k-- > 0;)
      if (scope.counters[k] == e->name)
        return dimensionOn(space, k);
    if (scope.unknown.count(e->name))
      return std::nullopt;
    if (auto p = parameter(e))
      return parameterOn(space, *p);
    return std::nullopt;
  }
  case ExprKind::Cast: {
    Value v = value(e->args[0], scope);
    if (!v || e->type.scalar == Scalar::Bool)
      return std::nullopt;
    Scalar from = e->args[0]->type.scalar, to = e->type.scalar;
    bool widens = bitsOf(to) > bitsOf(from) && (isUnsigned(from) || !isUnsigned(to));
    bool same = isUnsigned(from) == isUnsigned(to) && bitsOf(from) == bitsOf(to);
    return widens || same ? v : inRange(*v, e->type, scope);
  }
  case ExprKind::Unary: {
    Value v = e->name == "-" ? value(e->args[0], scope) : std::nullopt;
    if (!v)
      return std::nullopt;
    return computed(v->neg(), e->type, scope);
  }
  case ExprKind::Binary: {
    auto known = parameters;
    isl::set before = violated;
    Value v = arithmetic(e, scope);
    if (!v) { // what the attempt introduced is of no use
      parameters = known;
      violated = before;
      auto p = parameter(e);
      return p ? Value(parameterOn(space, *p)) : std::nullopt;
    }
    return computed(*v, e->type, scope);
  }
  case ExprKind::Select: {
    auto c = condition(e->args[0], scope);
    if (!c)
      return std::nullopt;
    Scope yes = scope, no = scope;
    yes.domain = scope.domain.intersect(*c);
    no.domain = scope.domain.subtract(*c);
    Value a = value(e->args[1], yes), b = value(e->args[2], no);
    if (!a || !b)
      return std::nullopt;
    isl::pw_aff left = isl::manage(isl_pw_aff_intersect_domain(a->copy(), c->copy()));
    isl::pw_aff right =
        isl::manage(isl_pw_aff_intersect_domain(b->copy(), c->complement().release()));
    return isl::manage(isl_pw_aff_coalesce(isl_pw_aff_union_add(left.release(), right.release())));
  }
  case ExprKind::Call: {
    if (e->name != "abs" && e->name != "labs" && e->name != "llabs")
      return std::nullopt;
    Value v = value(e->args[0], scope);
    return v ? computed(v->max(v->neg()), e->type, scope) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<isl::set> AffineReader::condition(const ExprP &e, const Scope &scope) {
  isl::set all = isl::set::universe(scope.domain.get_space());
  if (e->kind == ExprKind::Cast && e->type.isInteger() && e->args[0]->type.isInteger() &&
      bitsOf(e->type.scalar) >= bitsOf(e->args[0]->type.scalar))
    return condition(e->args[0], scope);
  if (e->kind == ExprKind::Unary && e->name == "!") {
    auto c = condition(e->args[0], scope);
    return c ? std::optional(all.subtract(*c)) : std::nullopt;
  }
  if (e->kind == ExprKind::Binary) {
    const std::string &op = e->name;
    if (op == "&&" || op == "||") {
      auto a = condition(e->args[0], scope);
      if (!a)
        return std::nullopt;
      Scope rest = scope;
      rest.domain = op == "&&" ? scope.domain.intersect(*a) : scope.domain.subtract(*a);
      auto b = condition(e->args[1], rest);
      if (!b)
        return std::nullopt;
      return op == "&&" ? a->intersect(*b) : a->unite(*b);
    }
    if (op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=") {
      Value a = value(e->args[0], scope), b = value(e->args[1], scope);
      if (!a || !b)
        return std::nullopt;
      if (op == "<")
        return a->lt_set(*b);
      if (op == "<=")
        return a->le_set(*b);
      if (op == ">")
        return a->gt_set(*b);
      if (op == ">=")
        return a->ge_set(*b);
      return op == "==" ? a->eq_set(*b) : a->ne_set(*b);
    }
  }
  Value v = value(e, scope);
  return v ? std::optional(v->ne_set(constant(scope, 0))) : std::nullopt;
}

} // namespace nw
