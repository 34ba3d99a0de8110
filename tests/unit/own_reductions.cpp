// Reductions taken out of a body with locals, and those that must stay; && and || as reductions of
// bits.
#include "frontend/affine/own_reductions.h"
#include "build.h"
#include "frontend/affine/logical_reductions.h"
#include "frontend/affine/reductions.h"

namespace nw::testing {

static const ExprP s = v("s"), t = v("t"), u = v("u"), a = at("a", {v("i")}), b = at("b", {v("i")});
static StmtP local(const char *name, const ExprP &value) {
  return declare(name, kI32, {}, {value});
}
static StmtP reduction(const ExprP &e) { return assign(s, op("+", s, e)); }

static std::string text(const std::vector<StmtP> &parts) {
  std::string all;
  for (const StmtP &p : parts)
    all += print(p, 0) + "|\n";
  return all;
}

TEST(OwnReductions, TheLocalIsComputedOnceMore) {
  std::vector<StmtP> made =
      withOwnReduction(block({local("t", a), reduction(t), assign(b, t)}), "s");
  EXPECT_EQ(text(made), "int t = a[i];\nb[i] = t;\n|\nint t = a[i];\ns = (s + t);\n|\n");
}

TEST(OwnReductions, WhatIsOneAlreadyStays) {
  StmtP whole = block({local("t", a), reduction(t)});
  EXPECT_EQ(withOwnReduction(whole, "s").size(), 1u);
  EXPECT_EQ(withOwnReduction(whole, "s")[0], whole);
}

// t = a; u = t - a; a = t; s += u: the reduction comes before the store.
TEST(OwnReductions, TheReductionComesBeforeWhatChangesItsInput) {
  std::vector<StmtP> made =
      withOwnReduction(block({local("t", op("*", a, i32(2))), local("u", op("-", t, a)),
                              assign(a, t), reduction(u)}),
                       "s");
  ASSERT_EQ(made.size(), 2u);
  EXPECT_TRUE(findReduction(made[0]));
  EXPECT_EQ(text({made[1]}), "int t = (a[i] * 2);\na[i] = t;\n|\n");
}

TEST(OwnReductions, AnInputThatHasChangedKeepsItTogether) {
  // t = a; a = t * 2; u = a + t; s += u
  EXPECT_EQ(withOwnReduction(block({local("t", a), assign(a, op("*", t, i32(2))),
                                    local("u", op("+", a, t)), reduction(u)}),
                             "s")
                .size(),
            1u);
}

TEST(OwnReductions, ALocalThatChangesAfterTheReduction) {
  // t = a; s += t; t = 5; b = t
  std::vector<StmtP> made =
      withOwnReduction(block({local("t", a), reduction(t), assign(t, i32(5)), assign(b, t)}), "s");
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(text({made[0]}), "int t = a[i];\ns = (s + t);\n|\n");
}

TEST(OwnReductions, OtherUsesOfTheTargetKeepItTogether) {
  EXPECT_EQ(withOwnReduction(block({local("t", a), reduction(t), assign(b, s)}), "s").size(), 1u);
  EXPECT_EQ(withOwnReduction(block({local("t", s), assign(b, t), reduction(a)}), "s").size(), 1u);
  EXPECT_EQ(withOwnReduction(block({local("t", a), reduction(t), assign(b, t), reduction(a)}), "s")
                .size(),
            1u);
}

TEST(OwnReductions, ALocalThatIsComputedWithAStoreKeepsItTogether) {
  StmtP both = ifElse(less(i32(0), a), block({assign(t, i32(1)), assign(b, i32(2))}));
  EXPECT_EQ(withOwnReduction(block({local("t", i32(0)), both, reduction(t)}), "s").size(), 1u);
}

TEST(OwnReductions, Conditions) {
  std::vector<StmtP> made = withOwnReduction(
      ifElse(less(i32(0), a), block({local("t", a), assign(b, t), reduction(t)})), "s");
  ASSERT_EQ(made.size(), 2u);
  EXPECT_TRUE(findReduction(made[1]));
  // if (b > 0) { b = t; s += t; }: the second question would be another one.
  EXPECT_EQ(withOwnReduction(
                ifElse(less(i32(0), b), block({local("t", a), assign(b, t), reduction(t)})), "s")
                .size(),
            1u);
}

static const ReductionClause all{"&&", "s", {}};

TEST(LogicalReductions, BecomeReductionsOfBits) {
  std::optional<StmtP> made =
      reductionOfBits(assign(s, binary("&&", s, less(i32(0), a), kI32)), all);
  ASSERT_TRUE(made);
  EXPECT_EQ(print(*made, 0), "s = (s & ((0 < a[i]) ? -1 : 0));\n");
  made = reductionOfBits(assign(s, binary("||", a, s, kI32)), {"||", "s", {}});
  ASSERT_TRUE(made);
  EXPECT_EQ(print(*made, 0), "s = (s | ((a[i] != 0) ? 1 : 0));\n");
}

TEST(LogicalReductions, TwinsThatAreNone) {
  EXPECT_FALSE(reductionOfBits(assign(s, binary("||", s, a, kI32)), all)); // another operator
  EXPECT_FALSE(
      reductionOfBits(assign(s, binary("&&", s, less(a, s), kI32)), all)); // it is used once more
  EXPECT_FALSE(
      reductionOfBits(assign(s, unary("!", binary("&&", s, a, kI32), kI32)), all)); // !(s && a)
  EXPECT_FALSE(reductionOfBits(assign(s, binary("&&", op("&", s, i32(1)), a, kI32)),
                               all)); // not the variable's truth
  EXPECT_FALSE(reductionOfBits(assign(s, binary("&&", cast(s, typeOf(Scalar::U8)), a, kI32)),
                               all)); // 256 is true, and its lowest byte is not
  EXPECT_FALSE(reductionOfBits(assign(v("f", kF32), binary("&&", v("f", kF32), a, kI32)),
                               {"&&", "f", {}})); // no integer
  EXPECT_FALSE(isLogicalReduction(block({assign(s, binary("&&", s, a, kI32)), assign(b, s)}),
                                  all)); // it is read
}

TEST(LogicalReductions, TheOriginalComputesEachValue) {
  StmtP loop =
      testing::loop("i", i32(0), i32(9), {assign(s, binary("&&", s, less(i32(0), a), kI32))});
  auto promised = std::make_shared<Stmt>(*loop);
  promised->loop.reductions = {all};
  EXPECT_EQ(print(withEagerReductions(promised)->body[0], 0), "s = ((s != 0) & (0 < a[i]));\n");
  EXPECT_EQ(print(withEagerReductions(loop)->body[0], 0), print(loop->body[0], 0));
}

} // namespace nw::testing
