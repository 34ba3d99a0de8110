// Expressions read as affine functions, checked point by point against what C computes.
#include "frontend/affine/affine_expr.h"
#include "build.h"

namespace nw::testing {

struct Reader : ::testing::Test {
  std::map<std::string, Variable> variables = {
      {"n", scalar("n")}, {"m", scalar("m")}, {"u", scalar("u", kU32)}, {"w", scalar("w")}};
  IslContext isl;
  AffineReader reader{isl.get(), variables, {"w"}};
  Scope scope{{"i"}, isl::set(isl.get(), "{ [i] : -20 <= i <= 20 }"), {}};

  // Whether the value at i is `expected` and nothing else.
  ::testing::AssertionResult is(const isl::pw_aff &f, int i, int expected) {
    isl::set here(isl.get(), "{ [" + std::to_string(i) + "] }");
    isl::pw_aff constant = constantOn(here.get_space(), intVal(isl.get(), (long)expected));
    if (here.is_subset(f.eq_set(constant)))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "at " << i << " the value is not " << expected;
  }
  isl::set set(const char *text) { return isl::set(isl.get(), text); }
};

TEST_F(Reader, DivisionTruncatesTowardsZero) {
  for (int by : {3, -3, 7}) {
    auto f = reader.value(op("/", v("i"), i32(by)), scope);
    ASSERT_TRUE(f);
    for (int i = -20; i <= 20; i++)
      EXPECT_TRUE(is(*f, i, i / by)) << "by " << by;
  }
}

TEST_F(Reader, ModuloHasTheSignOfTheDividend) {
  for (int by : {4, -4, 5}) {
    auto f = reader.value(op("%", v("i"), i32(by)), scope);
    ASSERT_TRUE(f);
    for (int i = -20; i <= 20; i++)
      EXPECT_TRUE(is(*f, i, i % by)) << "by " << by;
  }
}

TEST_F(Reader, DivisionByZeroOrByAParameterIsRefused) {
  EXPECT_FALSE(reader.value(op("/", v("i"), i32(0)), scope));
  EXPECT_FALSE(reader.value(op("/", v("i"), v("n")), scope));
}

TEST_F(Reader, ShiftsAndMasks) {
  auto right = reader.value(op(">>", v("i"), i32(2)), scope),
       mask = reader.value(op("&", v("i"), i32(7)), scope);
  ASSERT_TRUE(right && mask);
  for (int i = -20; i <= 20; i++) {
    EXPECT_TRUE(is(*right, i, i >> 2));
    EXPECT_TRUE(is(*mask, i, i & 7));
  }
  EXPECT_FALSE(reader.value(op("&", v("i"), i32(5)), scope)); // no mask of low bits
}

TEST_F(Reader, TernaryMinimumAndMaximum) {
  auto least = reader.value(select(less(v("i"), i32(5)), v("i"), i32(5), kI32), scope);
  auto size = reader.value(call("abs", {v("i")}, kI32), scope);
  ASSERT_TRUE(least && size);
  for (int i = -20; i <= 20; i++) {
    EXPECT_TRUE(is(*least, i, std::min(i, 5)));
    EXPECT_TRUE(is(*size, i, std::abs(i)));
  }
}

TEST_F(Reader, ProductsNeedAConstantFactor) {
  auto f = reader.value(op("*", op("+", v("i"), i32(2)), i32(-3)), scope);
  ASSERT_TRUE(f);
  EXPECT_TRUE(is(*f, 4, -18));
  EXPECT_FALSE(reader.value(op("*", v("i"), v("i")), scope));
  EXPECT_FALSE(reader.value(op("*", v("i"), v("n")), scope));
}

TEST_F(Reader, AProductOfParametersIsAParameterOfItsOwn) {
  ExprP product = op("*", v("n"), v("m"));
  ASSERT_TRUE(reader.value(product, scope));
  ASSERT_EQ(reader.parameters.size(), 1u); // not n and m as well
  EXPECT_TRUE(sameTree(reader.parameters[0].value, product));
  ASSERT_TRUE(reader.value(product, scope));
  EXPECT_EQ(reader.parameters.size(), 1u);
}

TEST_F(Reader, WhatTheRegionWritesIsNoParameter) {
  EXPECT_FALSE(reader.value(v("w"), scope));
  EXPECT_FALSE(reader.value(v("unheard_of"), scope));
  EXPECT_TRUE(reader.value(v("n"), scope));
}

TEST_F(Reader, CountersOfOtherLoopsAreUnknown) {
  scope.unknown.insert("n");
  EXPECT_FALSE(reader.value(v("n"), scope));
}

TEST_F(Reader, UnsignedMustNotWrap) {
  ASSERT_TRUE(reader.value(op("-", v("u", kU32), intConst(1, kU32)), scope));
  isl::set good = reader.assumptions();
  EXPECT_FALSE(set("[u] -> { : u = 0 }").is_subset(good));
  EXPECT_TRUE(set("[u] -> { : 1 <= u <= 4294967295 }").is_subset(good));
}

TEST_F(Reader, UnsignedThatAlwaysWrapsIsRefused) {
  scope.domain = set("{ [i] : 0 <= i <= 20 }");
  ExprP one = intConst(1, kU32), two = intConst(2, kU32);
  EXPECT_FALSE(reader.value(op("-", one, two), scope));
}

TEST_F(Reader, SignedNeedsNoAssumption) {
  ASSERT_TRUE(reader.value(op("-", v("n"), i32(1)), scope));
  isl::set good = reader.assumptions();
  EXPECT_TRUE(reader.context().is_subset(good));
}

// With -fwrapv it is as without a sign: n + 1 is read as a sum only where it does not wrap.
TEST_F(Reader, SignedThatWrapsNeedsOne) {
  AffineReader wrapping{isl.get(), variables, {"w"}, true};
  ASSERT_TRUE(wrapping.value(op("+", v("n"), i32(1)), scope));
  EXPECT_TRUE(set("[n] -> { : 0 <= n <= 2147483646 }").is_subset(wrapping.assumptions()));
  EXPECT_FALSE(set("[n] -> { : n = 2147483647 }").is_subset(wrapping.assumptions()));
  AffineReader always{isl.get(), variables, {"w"}, true};
  EXPECT_FALSE(
      always.value(op("+", op("+", v("i"), i32(2147483647)), i32(100)), scope)); // from 80 on
  AffineReader negated{isl.get(), variables, {"w"}, true};
  ASSERT_TRUE(negated.value(unary("-", v("n"), kI32), scope));
  EXPECT_FALSE(set("[n] -> { : n = -2147483648 }").is_subset(negated.assumptions()));
}

TEST_F(Reader, NarrowingCastsAssumeThatTheValueFits) {
  ASSERT_TRUE(reader.value(cast(v("n"), typeOf(Scalar::U8)), scope));
  isl::set good = reader.assumptions();
  EXPECT_TRUE(set("[n] -> { : 0 <= n <= 255 }").is_subset(good));
  EXPECT_TRUE(
      set("[n] -> { : n < 0 or n > 255 }").intersect(reader.context()).intersect(good).is_empty());
}

TEST_F(Reader, Conditions) {
  auto c = reader.condition(binary("&&", less(v("i"), i32(3)),
                                   unary("!", binary("==", v("i"), i32(0), kI32), kI32), kI32),
                            scope);
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->intersect(scope.domain).is_equal(set("{ [i] : -20 <= i < 3 and i != 0 }")));
  auto truth = reader.condition(v("i"), scope);
  ASSERT_TRUE(truth);
  EXPECT_TRUE(truth->intersect(scope.domain).is_equal(set("{ [i] : -20 <= i <= 20 and i != 0 }")));
  EXPECT_FALSE(reader.condition(less(at("a", {v("i")}), i32(0)), scope));
}

} // namespace nw::testing
