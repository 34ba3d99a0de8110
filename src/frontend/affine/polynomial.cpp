// Polynomials in parameters with affine coefficients.
#include "frontend/affine/polynomial.h"
#include <algorithm>

namespace nw {

static bool isZero(const isl::pw_aff &a) {
  isl::set zero = a.eq_set(constantOn(isl::manage(isl_pw_aff_get_domain_space(a.get())), intVal(a.ctx(), 0L)));
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

std::optional<Polynomial> readPolynomial(const ExprP &e, const Scope &scope, AffineReader &reader) {
  isl::space space = scope.domain.get_space();
  Polynomial out;
  if (e->kind == ExprKind::Var) {
    bool isCounter = std::find(scope.counters.begin(), scope.counters.end(), e->name) != scope.counters.end();
    if (!isCounter && !scope.unknown.count(e->name))
      if (auto p = reader.parameter(e)) {
        addTerm(out, {*p}, constantOn(space, intVal(reader.ctx, 1L)));
        return out;
      }
  }
  if (e->kind == ExprKind::Cast && e->type.isInteger() && e->args[0]->type.isInteger() && bitsOf(e->type.scalar) >= bitsOf(e->args[0]->type.scalar)) {
    // Overflow of the narrower product would be undefined (signed); an unsigned one may wrap and is not followed.
    if (!isUnsigned(e->args[0]->type.scalar) || e->args[0]->kind == ExprKind::Var)
      return readPolynomial(e->args[0], scope, reader);
  }
  if (e->kind == ExprKind::Unary && e->name == "-") {
    auto a = readPolynomial(e->args[0], scope, reader);
    if (a)
      for (auto &[m, c] : a->terms)
        addTerm(out, m, c.neg());
    return a ? std::optional(out) : std::nullopt;
  }
  // An unsigned 32-bit sum may wrap; a 64-bit one (size_t) would need an array beyond any memory.
  bool mayWrap = isUnsigned(e->type.scalar) && bitsOf(e->type.scalar) < 64;
  if (e->kind == ExprKind::Binary && !mayWrap && (e->name == "+" || e->name == "-" || e->name == "*")) {
    auto a = readPolynomial(e->args[0], scope, reader);
    auto b = a ? readPolynomial(e->args[1], scope, reader) : std::nullopt;
    if (!b)
      return std::nullopt;
    if (e->name == "*")
      return product(*a, *b);
    out = *a;
    for (auto &[m, c] : b->terms)
      addTerm(out, m, e->name == "+" ? c : c.neg());
    return out;
  }
  auto whole = reader.value(e, scope);
  if (!whole)
    return std::nullopt;
  addTerm(out, {}, *whole);
  return out;
}

std::vector<Monomial> strideChain(const std::vector<Polynomial> &subscripts) {
  std::vector<Monomial> strides;
  for (const Polynomial &p : subscripts)
    for (auto &[m, c] : p.terms)
      if (!m.empty() && !isConstant(c) && std::find(strides.begin(), strides.end(), m) == strides.end())
        strides.push_back(m);
  std::sort(strides.begin(), strides.end(), [](const Monomial &a, const Monomial &b) { return a.size() > b.size(); });
  for (size_t k = 0; k + 1 < strides.size(); k++) {
    auto ratio = quotient(strides[k], strides[k + 1]);
    if (!ratio || ratio->empty())
      return {};
  }
  return strides;
}

std::optional<std::vector<isl::pw_aff>> split(const Polynomial &p, const std::vector<Monomial> &strides, const Scope &scope) {
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
