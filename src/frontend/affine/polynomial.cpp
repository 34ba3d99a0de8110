// Polynomials in parameters with affine coefficients.
#include "frontend/affine/polynomial.h"
#include "ir/flat_subscript.h"
#include <algorithm>

namespace nw {

static bool isZero(const isl::pw_aff &a) {
  isl::set zero =
      a.eq_set(constantOn(isl::manage(isl_pw_aff_get_domain_space(a.get())), intVal(a.ctx(), 0L)));
  return zero.complement().is_empty();
}

static bool isConstant(const isl::pw_aff &a) { return isl_pw_aff_is_cst(a.get()); }

static void addTerm(Polynomial &p, const Monomial &m, const isl::pw_aff &a) {
  auto found = p.terms.find(m);
  if (found == p.terms.end())
    p.terms.emplace(m, a);
  else
    found->second = found->second.add(a);
  if (isZero(p.terms.find(m)->second))
    p.terms.erase(m);
}

std::optional<Monomial> quotient(const Monomial &larger, const Monomial &smaller) {
  Monomial rest = larger;
  for (const std::string &f : smaller) {
    auto found = std::find(rest.begin(), rest.end(), f);
    if (found == rest.end())
      return std::nullopt;
    rest.erase(found);
  }
  return rest;
}

static std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial out;
  for (auto &[ma, ca] : a.terms)
    for (auto &[mb, cb] : b.terms) {
      if (!isConstant(ca) && !isConstant(cb))
        return std::nullopt;
      Monomial m = ma;
      m.insert(m.end(), mb.begin(), mb.end());
      std::sort(m.begin(), m.end());
      isl::pw_aff c = isl::manage(isl_pw_aff_mul(ca.copy(), cb.copy()));
      addTerm(out, m, c);
    }
  return out;
}

// Whether it is a sum of values that do not change in the region.
static bool isSumOfParameters(const ExprP &e, const Scope &scope, AffineReader &reader) {
  if (e->kind != ExprKind::Binary || (e->name != "+" && e->name != "-") || reader.mayWrap(e->type))
    return false;
  bool is = true, hasParameter = false;
  walk(e, [&](const ExprP &x) {
    if (x->kind == ExprKind::Var) {
      is &= std::find(scope.counters.begin(), scope.counters.end(), x->name) ==
                scope.counters.end() &&
            !scope.unknown.count(x->name) && reader.parameter(x).has_value();
      hasParameter = true;
    } else
      is &= x->kind == ExprKind::Int || isTransparent(x) ||
            (x->kind == ExprKind::Binary && (x->name == "+" || x->name == "-" || x->name == "*"));
    return is;
  });
  return is && hasParameter;
}

static std::string nameOf(const ExprP &sum) {
  return "(" +
         print(rewrite(sum, [](const ExprP &x) { return isTransparent(x) ? x->args[0] : x; })) +
         ")";
}

std::optional<Polynomial> multipliedOut(const Polynomial &p, const std::vector<Monomial> &strides,
                                        const WholeFactors &whole, const Scope &scope,
                                        AffineReader &reader) {
  Polynomial out;
  for (auto &[m, c] : p.terms) {
    Monomial rest;
    std::vector<ExprP> open;
    for (const std::string &f : m) {
      auto factor = whole.found.find(f);
      bool isKept = factor == whole.found.end() ||
                    std::any_of(strides.begin(), strides.end(), [&](const Monomial &s) {
                      return std::find(s.begin(), s.end(), f) != s.end();
                    });
      if (isKept)
        rest.push_back(f);
      else
        open.push_back(factor->second);
    }
    std::optional<Polynomial> term = Polynomial{{{rest, c}}};
    for (const ExprP &e : open) {
      auto factor = readPolynomial(e, scope, reader);
      term = factor ? product(*term, *factor) : std::nullopt;
      if (!term)
        return std::nullopt;
    }
    for (auto &[monomial, coefficient] : term->terms)
      addTerm(out, monomial, coefficient);
  }
  return out;
}

std::optional<Polynomial> readPolynomial(const ExprP &e, const Scope &scope, AffineReader &reader,
                                         WholeFactors *whole) {
  isl::space space = scope.domain.get_space();
  Polynomial out;
  if (whole && isSumOfParameters(e, scope, reader)) {
    std::string name = nameOf(e);
    whole->found.emplace(name, e);
    addTerm(out, {name}, constantOn(space, intVal(reader.ctx, 1L)));
    return out;
  }
  if (e->kind == ExprKind::Var) {
    bool isCounter =
        std::find(scope.counters.begin(), scope.counters.end(), e->name) != scope.counters.end();
    if (!isCounter && !scope.unknown.count(e->name))
      if (auto p = reader.parameter(e)) {
        addTerm(out, {*p}, constantOn(space, intVal(reader.ctx, 1L)));
        return out;
      }
  }
  if (e->kind == ExprKind::Cast && e->type.isInteger() && e->args[0]->type.isInteger() &&
      bitsOf(e->type.scalar) >= bitsOf(e->args[0]->type.scalar)) {
    // A narrower product that may wrap is not followed; signed ones do not overflow.
    const Type &from = e->args[0]->type;
    if ((!isUnsigned(from.scalar) && !reader.mayWrap(from)) || e->args[0]->kind == ExprKind::Var)
      return readPolynomial(e->args[0], scope, reader, whole);
  }
  if (e->kind == ExprKind::Unary && e->name == "-" && !reader.mayWrap(e->type)) {
    auto a = readPolynomial(e->args[0], scope, reader, whole);
    if (a)
      for (auto &[m, c] : a->terms)
        addTerm(out, m, c.neg());
    return a ? std::optional(out) : std::nullopt;
  }
  // A 32-bit sum without a sign may wrap; a 64-bit one (size_t) would need an array beyond any
  // memory.
  if (e->kind == ExprKind::Binary && !reader.mayWrap(e->type) &&
      (e->name == "+" || e->name == "-" || e->name == "*")) {
    auto a = readPolynomial(e->args[0], scope, reader, whole);
    auto b = a ? readPolynomial(e->args[1], scope, reader, whole) : std::nullopt;
    if (!b)
      return std::nullopt;
    if (e->name == "*" && whole && whole->withNumbers)
      for (const auto &[number, other] : {std::pair(e->args[1], *a), std::pair(e->args[0], *b)})
        if (number->kind == ExprKind::Int && number->integer > 1) {
          std::string name = std::to_string(number->integer);
          whole->found.emplace(name, intConst(number->integer));
          return product(other, Polynomial{{{{name}, constantOn(space, intVal(reader.ctx, 1L))}}});
        }
    if (e->name == "*")
      return product(*a, *b);
    out = *a;
    for (auto &[m, c] : b->terms)
      addTerm(out, m, e->name == "+" ? c : c.neg());
    return out;
  }
  auto value = reader.value(e, scope);
  if (!value)
    return std::nullopt;
  addTerm(out, {}, *value);
  return out;
}

std::vector<Monomial> strideChain(const std::vector<Polynomial> &subscripts) {
  std::vector<Monomial> strides;
  for (const Polynomial &p : subscripts)
    for (auto &[m, c] : p.terms)
      if (!m.empty() && !isConstant(c) &&
          std::find(strides.begin(), strides.end(), m) == strides.end())
        strides.push_back(m);
  std::sort(strides.begin(), strides.end(),
            [](const Monomial &a, const Monomial &b) { return a.size() > b.size(); });
  for (size_t k = 0; k + 1 < strides.size(); k++) {
    auto ratio = quotient(strides[k], strides[k + 1]);
    if (!ratio || ratio->empty())
      return {};
  }
  return strides;
}

std::optional<std::vector<isl::pw_aff>>
split(const Polynomial &p, const std::vector<Monomial> &strides, const Scope &scope) {
  isl::space space = scope.domain.get_space();
  isl::pw_aff zero = constantOn(space, intVal(scope.domain.ctx(), 0L));
  std::vector<isl::pw_aff> subscripts(strides.size() + 1, zero);
  for (auto &[m, c] : p.terms) {
    size_t dim = strides.size();
    Monomial rest = m;
    for (size_t k = 0; k < strides.size(); k++)
      if (auto q = quotient(m, strides[k])) {
        dim = k;
        rest = *q;
        break;
      }
    isl::pw_aff term = c;
    if (rest.size() > 1 || (rest.size() == 1 && !isConstant(c)))
      return std::nullopt;
    if (rest.size() == 1)
      term = isl::manage(isl_pw_aff_mul(c.copy(), parameterOn(space, rest[0]).release()));
    subscripts[dim] = subscripts[dim].add(term);
  }
  return subscripts;
}

} // namespace nw
