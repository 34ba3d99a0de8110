// Trees: comparing, rewriting, walking.
#include "build.h"

namespace nw::testing {

TEST(Trees, SameTreeComparesShapeTypeAndValues) {
  EXPECT_TRUE(sameTree(op("+", v("i"), i32(1)), op("+", v("i"), i32(1))));
  EXPECT_FALSE(sameTree(op("+", v("i"), i32(1)), op("+", v("i"), i32(2))));
  EXPECT_FALSE(sameTree(op("+", v("i"), i32(1)), op("-", v("i"), i32(1))));
  EXPECT_FALSE(sameTree(v("i"), v("j")));
  EXPECT_FALSE(sameTree(v("i", kI32), v("i", kI64)));
  EXPECT_FALSE(sameTree(v("i"), nullptr));
  EXPECT_TRUE(sameTree(nullptr, nullptr));
}

TEST(Trees, CastToTheSameTypeIsNothing) {
  ExprP i = v("i");
  EXPECT_EQ(cast(i, kI32), i);
  EXPECT_EQ(cast(i, kI64)->kind, ExprKind::Cast);
}

TEST(Trees, RewriteSharesWhatDoesNotChange) {
  ExprP left = op("*", v("i"), i32(3)), sum = op("+", left, v("j"));
  ExprP changed = rewrite(
      sum, [](const ExprP &e) { return e->kind == ExprKind::Var && e->name == "j" ? v("k") : e; });
  EXPECT_NE(changed, sum);
  EXPECT_EQ(changed->args[0], left);
  EXPECT_TRUE(sameTree(changed, op("+", left, v("k"))));
  EXPECT_TRUE(sameTree(sum, op("+", left, v("j")))); // the old tree is untouched
  EXPECT_EQ(rewrite(sum, [](const ExprP &e) { return e; }), sum);
}

TEST(Trees, RewriteReachesLoopHeaders) {
  StmtP s = loop("i", i32(0), v("n"), {assign(at("a", {v("i")}), v("n"))});
  StmtP t = rewriteExprs(
      s, [](const ExprP &e) { return e->kind == ExprKind::Var && e->name == "n" ? v("m") : e; });
  EXPECT_TRUE(sameTree(t->loop.condition, less(v("i"), v("m"))));
  int old = 0;
  walkExprs(t, [&](const ExprP &e) {
    old += e->name == "n";
    return true;
  });
  EXPECT_EQ(old, 0);
}

TEST(Trees, WalkStopsWhereItIsTold) {
  int seen = 0;
  walk(op("+", op("*", v("i"), v("j")), v("k")), [&](const ExprP &e) {
    seen++;
    return e->name != "*";
  });
  EXPECT_EQ(seen, 3); // +, * and k, but nothing below *
}

TEST(Trees, BaseAndMentions) {
  ExprP position = member(index(v("p"), v("i"), kI32), "x", kI32);
  ASSERT_NE(baseOf(position), nullptr);
  EXPECT_EQ(baseOf(position)->name, "p");
  EXPECT_EQ(baseOf(op("+", v("a"), v("b"))), nullptr);
  EXPECT_TRUE(mentions(position, "i"));
  EXPECT_FALSE(mentions(position, "x")); // a field, not a variable
}

TEST(Trees, IfWithoutElseHasOneBranch) {
  EXPECT_EQ(ifElse(v("c"), block({}))->body.size(), 1u);
  EXPECT_EQ(ifElse(v("c"), block({}), block({}))->body.size(), 2u);
}

} // namespace nw::testing
