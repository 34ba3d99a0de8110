// Flattened subscripts split into dimensions.
#include "frontend/affine/polynomial.h"
#include "build.h"

namespace nw::testing {

struct Polynomials : ::testing::Test {
  std::map<std::string, Variable> variables = {
      {"n", scalar("n")}, {"m", scalar("m")}, {"l", scalar("l")}};
  IslContext isl;
  AffineReader reader{isl.get(), variables, {}};
  Scope scope{{"i", "j", "k"}, isl::set(isl.get(), "{ [i, j, k] }"), {}};

  isl::pw_aff dim(int position) { return dimensionOn(scope.domain.get_space(), position); }
  bool same(const isl::pw_aff &a, const isl::pw_aff &b) { return a.ne_set(b).is_empty(); }
};

TEST_F(Polynomials, TwoDimensions) {
  auto p = readPolynomial(op("+", op("*", v("i"), v("n")), op("+", v("j"), i32(1))), scope,
                          reader); // i*n + j + 1
  ASSERT_TRUE(p);
  auto strides = strideChain({*p});
  ASSERT_EQ(strides, (std::vector<Monomial>{{"n"}}));
  auto parts = split(*p, strides, scope);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_TRUE(same((*parts)[0], dim(0)));
  EXPECT_TRUE(
      same((*parts)[1], dim(1).add(constantOn(scope.domain.get_space(), intVal(isl.get(), 1L)))));
}

TEST_F(Polynomials, ThreeDimensions) {
  ExprP row = op("+", op("*", v("i"), v("n")), v("j"));
  auto p = readPolynomial(op("+", op("*", row, v("m")), v("k")), scope, reader); // (i*n + j)*m + k
  ASSERT_TRUE(p);
  auto strides = strideChain({*p});
  ASSERT_EQ(strides, (std::vector<Monomial>{{"m", "n"}, {"m"}}));
  auto parts = split(*p, strides, scope);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3u);
  for (int d = 0; d < 3; d++)
    EXPECT_TRUE(same((*parts)[d], dim(d))) << d;
}

TEST_F(Polynomials, AConstantRowGoesWithItsStride) {
  auto p = readPolynomial(op("+", op("*", op("+", v("i"), i32(2)), v("n")), v("j")), scope,
                          reader); // (i + 2)*n + j
  ASSERT_TRUE(p);
  auto parts = split(*p, strideChain({*p}), scope);
  ASSERT_TRUE(parts);
  EXPECT_TRUE(
      same((*parts)[0], dim(0).add(constantOn(scope.domain.get_space(), intVal(isl.get(), 2L)))));
}

TEST_F(Polynomials, StridesThatDoNotDivideAreNoChain) {
  auto p = readPolynomial(op("+", op("*", v("i"), v("n")), op("*", v("j"), v("m"))), scope,
                          reader); // i*n + j*m
  ASSERT_TRUE(p);
  EXPECT_TRUE(strideChain({*p}).empty());
}

TEST_F(Polynomials, ProductsOfCountersAreRefused) {
  EXPECT_FALSE(readPolynomial(op("*", v("i"), v("j")), scope, reader));
  EXPECT_FALSE(readPolynomial(op("*", op("*", v("i"), v("n")), v("j")), scope, reader));
}

TEST_F(Polynomials, AnUnsignedSumMayWrapAndIsRefused) {
  variables["u"] = scalar("u", kU32);
  ExprP counter = cast(v("i"), kU32);
  EXPECT_FALSE(readPolynomial(op("*", counter, v("u", kU32)), scope, reader));
}

TEST_F(Polynomials, SumsOfParametersMayBeStrides) {
  ExprP width = op("+", v("m"), i32(2));
  WholeFactors whole;
  auto p = readPolynomial(op("+", op("*", v("i"), width), op("+", width, v("j"))), scope, reader,
                          &whole); // i*(m + 2) + (m + 2) + j
  ASSERT_TRUE(p);
  ASSERT_EQ(whole.found.size(), 1u);
  auto strides = strideChain({*p});
  ASSERT_EQ(strides, (std::vector<Monomial>{{whole.found.begin()->first}}));
  auto parts = split(*multipliedOut(*p, strides, whole, scope, reader), strides, scope);
  ASSERT_TRUE(parts);
  EXPECT_TRUE(
      same((*parts)[0], dim(0).add(constantOn(scope.domain.get_space(), intVal(isl.get(), 1L)))));
  EXPECT_TRUE(same((*parts)[1], dim(1)));
}

TEST_F(Polynomials, SumsThatAreNoStridesAreMultipliedOut) {
  WholeFactors whole;
  auto p = readPolynomial(op("+", op("*", v("i"), v("m")), op("+", v("m"), i32(2))), scope, reader,
                          &whole); // i*m + (m + 2): element 2 of the next row
  ASSERT_TRUE(p);
  auto strides = strideChain({*p});
  auto parts = split(*multipliedOut(*p, strides, whole, scope, reader), strides, scope);
  ASSERT_TRUE(parts);
  EXPECT_TRUE(
      same((*parts)[0], dim(0).add(constantOn(scope.domain.get_space(), intVal(isl.get(), 1L)))));
  EXPECT_TRUE(same((*parts)[1], constantOn(scope.domain.get_space(), intVal(isl.get(), 2L))));
}

TEST_F(Polynomials, NumbersMayBeFactorsOfStrides) {
  WholeFactors whole;
  whole.withNumbers = true;
  auto p =
      readPolynomial(op("+", op("*", op("+", op("*", v("i"), v("m")), v("j")), i32(3)), v("k")),
                     scope, reader, &whole); // (i*m + j)*3 + k
  ASSERT_TRUE(p);
  auto strides = strideChain({*p});
  ASSERT_EQ(strides, (std::vector<Monomial>{{"3", "m"}, {"3"}}));
  auto parts = split(*multipliedOut(*p, strides, whole, scope, reader), strides, scope);
  ASSERT_TRUE(parts);
  for (int d = 0; d < 3; d++)
    EXPECT_TRUE(same((*parts)[d], dim(d))) << d;
}

TEST_F(Polynomials, Quotients) {
  EXPECT_EQ(quotient({"m", "n"}, {"m"}), Monomial{"n"});
  EXPECT_EQ(quotient({"m", "m"}, {"m"}), Monomial{"m"});
  EXPECT_FALSE(quotient({"m"}, {"n"}));
}

TEST_F(Polynomials, TermsThatCancelVanish) {
  auto p = readPolynomial(op("-", op("*", v("i"), v("n")), op("*", v("n"), v("i"))), scope, reader);
  ASSERT_TRUE(p);
  EXPECT_TRUE(p->terms.empty());
}

} // namespace nw::testing
