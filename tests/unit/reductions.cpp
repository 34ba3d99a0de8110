// Statements that reduce into one element, and their twins that only look like it.
#include "frontend/affine/reductions.h"
#include "build.h"

namespace nw::testing {

static std::optional<ReductionKind> kindOf(const StmtP &s) {
  auto r = findReduction(s);
  return r ? std::optional(r->kind) : std::nullopt;
}

static const ExprP x = v("x"), e = at("a", {v("i")});

TEST(Reductions, Operators) {
  std::pair<const char *, ReductionKind> operators[] = {{"+", ReductionKind::Sum},
                                                        {"*", ReductionKind::Product},
                                                        {"&", ReductionKind::And},
                                                        {"|", ReductionKind::Or},
                                                        {"^", ReductionKind::Xor}};
  for (auto &[name, kind] : operators) {
    EXPECT_EQ(kindOf(assign(x, op(name, x, e))), kind) << name;
    EXPECT_EQ(kindOf(assign(x, op(name, e, x))), kind) << name;
    EXPECT_EQ(kindOf(assign(x, op(name, op(name, e, x), e))), kind) << name;
  }
  EXPECT_EQ(kindOf(assign(x, op("-", x, e))), ReductionKind::Sum);
}

TEST(Reductions, TheTargetMayBeAnElement) {
  auto r = findReduction(assign(at("s", {v("j")}), op("+", at("s", {v("j")}), e)));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->array, "s");
  EXPECT_TRUE(sameTree(r->target, at("s", {v("j")})));
}

TEST(Reductions, MinimumAndMaximum) {
  EXPECT_EQ(kindOf(assign(x, select(less(e, x), e, x, kI32))), ReductionKind::Min);
  EXPECT_EQ(kindOf(assign(x, select(less(x, e), e, x, kI32))), ReductionKind::Max);
  EXPECT_EQ(kindOf(assign(x, select(binary(">", e, x, kI32), e, x, kI32))), ReductionKind::Max);
  EXPECT_EQ(kindOf(assign(x, select(less(e, x), x, e, kI32))),
            ReductionKind::Max); // written crosswise
  EXPECT_EQ(kindOf(ifElse(less(e, x), assign(x, e))), ReductionKind::Min);
  EXPECT_EQ(kindOf(ifElse(binary(">=", e, x, kI32), block({assign(x, e)}))), ReductionKind::Max);
  ExprP f = v("f", kF64), d = at("d", {v("i")}, kF64);
  EXPECT_EQ(kindOf(assign(f, call("fmin", {f, d}, kF64))), ReductionKind::Min);
  EXPECT_EQ(kindOf(assign(f, call("fmax", {d, f}, kF64))), ReductionKind::Max);
}

TEST(Reductions, AGuardThatDoesNotReadTheTargetIsFine) {
  EXPECT_EQ(kindOf(ifElse(less(i32(0), e), assign(x, op("+", x, e)))), ReductionKind::Sum);
}

TEST(Reductions, TwinsThatAreNone) {
  EXPECT_FALSE(findReduction(assign(x, op("-", e, x))));                  // x = e - x
  EXPECT_FALSE(findReduction(assign(x, op("/", x, e))));                  // x = x / e
  EXPECT_FALSE(findReduction(assign(x, op("+", op("*", x, i32(2)), e)))); // x = 2x + e
  EXPECT_FALSE(findReduction(assign(x, op("+", x, x))));                  // x = x + x
  EXPECT_FALSE(findReduction(assign(x, e)));                              // no reduction at all
  EXPECT_FALSE(findReduction(assign(x, op("<<", x, e))));
  EXPECT_FALSE(findReduction(
      assign(x, select(less(e, x), i32(1), x, kI32)))); // not one of the compared values
  EXPECT_FALSE(
      findReduction(assign(at("s", {i32(0)}), op("+", at("s", {i32(1)}), e)))); // another element
}

TEST(Reductions, AnOtherUseOfTheTargetIsNone) {
  EXPECT_FALSE(
      findReduction(ifElse(less(x, i32(100)), assign(x, op("+", x, e))))); // if (x < 100) x += e
  EXPECT_FALSE(findReduction(
      assign(at("s", {at("s", {i32(0)})}), op("+", at("s", {at("s", {i32(0)})}), e))));
  EXPECT_FALSE(
      findReduction(block({assign(x, op("+", x, e)), assign(at("b", {v("i")}), x)}))); // a scan
  EXPECT_FALSE(findReduction(ifElse(less(e, x), assign(x, e), assign(x, i32(0)))));
}

// Sums and products may be cut at each step or at the end; what is compared as int is the small
// integer that it was.
TEST(Reductions, SmallIntegers) {
  Type small = typeOf(Scalar::U8);
  ExprP narrow = v("c", small), element = at("b", {v("i")}, small);
  auto wide = [](const ExprP &x) { return cast(x, kI32); };
  EXPECT_EQ(kindOf(assign(narrow, cast(op("+", wide(narrow), e), small))), ReductionKind::Sum);
  EXPECT_EQ(kindOf(assign(narrow, cast(select(less(wide(element), wide(narrow)), wide(element),
                                              wide(narrow), kI32),
                                       small))),
            ReductionKind::Min);
  EXPECT_EQ(kindOf(ifElse(less(wide(narrow), wide(element)), assign(narrow, element))),
            ReductionKind::Max);
}

// What is compared is an int, and what is kept is what is left of it: 256 is larger than 3, and
// becomes 0.
TEST(Reductions, SmallIntegersThatAreCut) {
  Type small = typeOf(Scalar::U8);
  ExprP narrow = v("c", small);
  auto wide = [](const ExprP &x) { return cast(x, kI32); };
  EXPECT_FALSE(findReduction(
      assign(narrow, cast(select(less(e, wide(narrow)), e, wide(narrow), kI32), small))));
  EXPECT_FALSE(findReduction(ifElse(less(wide(narrow), e), assign(narrow, cast(e, small)))));
  EXPECT_FALSE(findReduction(assign(narrow, cast(op("-", e, wide(narrow)), small))));
}

// (bool)(b + e) is whether the sum is not 0: no sum of anything.
TEST(Reductions, BoolsReductionBitsOnly) {
  Type truth = typeOf(Scalar::Bool);
  ExprP b = v("b", truth);
  EXPECT_FALSE(findReduction(assign(b, cast(op("+", cast(b, kI32), e), truth))));
  EXPECT_FALSE(findReduction(assign(b, cast(op("&", cast(b, kI32), e), truth))));
  EXPECT_EQ(kindOf(assign(b, binary("&", b, cast(less(i32(0), e), truth), truth))),
            ReductionKind::And);
}

// unsigned long x; x = (unsigned)x + e: the sum is cut to 32 bits at every step, which a sum in 64
// bits is not.
TEST(Reductions, AChainThroughANarrowerTypeIsNone) {
  ExprP wide = v("w", typeOf(Scalar::U64));
  ExprP sum = op("+", cast(wide, kU32), at("a", {v("i")}, kU32));
  EXPECT_FALSE(findReduction(assign(wide, cast(sum, typeOf(Scalar::U64)))));
}

// x = fmin(x, x - 1) is not a reduction of other values: each step needs the one before.
TEST(Reductions, AMinimumOfItselfIsNone) {
  ExprP x = v("x", kF32);
  EXPECT_FALSE(
      findReduction(assign(x, call("fmin", {x, binary("-", x, floatConst(1, kF32), kF32)}, kF32)))
          .has_value());
  EXPECT_TRUE(findReduction(assign(x, call("fmin", {x, v("e", kF32)}, kF32))).has_value());
}

} // namespace nw::testing
