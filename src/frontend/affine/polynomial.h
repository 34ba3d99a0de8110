// Flattened subscripts such as A[(i*n + j)*m + k] with symbolic n and m: read as polynomials and
// split into the subscripts of the array that the programmer had in mind.
#pragma once
#include "frontend/affine/affine_expr.h"

namespace nw {

// A product of parameters and of other factors that are kept whole, by name and sorted; empty
// for 1.
using Monomial = std::vector<std::string>;
// Sum of monomials times affine functions of the counters without parameters (and other terms kept
// whole).
struct Polynomial {
  std::map<Monomial, isl::pw_aff> terms;
};

// Factors that rows may have the length of: sums of parameters such as m + 2, and, if they are
// asked for, numbers such as the 3 of (y * w + x) * 3 + c.
struct WholeFactors {
  bool withNumbers = false;
  std::map<std::string, ExprP> found; // by the names that they have in monomials
};

// With `whole`, such factors are kept and noted there. Without, they are multiplied out.
std::optional<Polynomial> readPolynomial(const ExprP &e, const Scope &scope, AffineReader &reader,
                                         WholeFactors *whole = nullptr);

// The polynomial with all of them multiplied out but those that strides are made of.
std::optional<Polynomial> multipliedOut(const Polynomial &p, const std::vector<Monomial> &strides,
                                        const WholeFactors &whole, const Scope &scope,
                                        AffineReader &reader);

// Products that multiply something that varies with a counter: the strides of the flattened array,
// largest first, each a multiple of the next, without the final 1. Empty when they do not form such
// a chain.
std::vector<Monomial> strideChain(const std::vector<Polynomial> &subscripts);

// The subscripts for the given strides (one more than there are strides), outermost first.
std::optional<std::vector<isl::pw_aff>>
split(const Polynomial &p, const std::vector<Monomial> &strides, const Scope &scope);

// larger / smaller, or nothing where it does not divide.
std::optional<Monomial> quotient(const Monomial &larger, const Monomial &smaller);

} // namespace nw
