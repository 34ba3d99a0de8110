// Jamming of points, and when two elements of an array are different.
#include "kernel/jam.h"
#include "kernel/keep.h"
#include "kernel/promote.h"
#include <gtest/gtest.h>

namespace nw::testing {

static ExprP i32(const std::string &name) { return var(name, kI32); }
static ExprP element(const std::string &subscript) {
  return index(var("C", typeOf(Scalar::F32)), i32(subscript), typeOf(Scalar::F32));
}
static StmtP update(const std::string &subscript) {
  return assign(
      element(subscript),
      binary("+", element(subscript), floatConst(1, typeOf(Scalar::F32)), typeOf(Scalar::F32)));
}
static StmtP loopTo(const std::string &bound, const StmtP &body) {
  return forLoop("k", kI32, intConst(0, kI32), binary("<", i32("k"), i32(bound), kI32),
                 intConst(1, kI32), body);
}

static int countOf(const StmtP &s, StmtKind kind) {
  int count = 0;
  walkStmts(s, [&](const StmtP &x) { count += x->kind == kind; });
  return count;
}

TEST(Jam, LoopsWithTheSameBoundsBecomeOne) {
  StmtP one = jam({loopTo("n", block({update("i")})), loopTo("n", block({update("j")}))});
  EXPECT_EQ(countOf(one, StmtKind::For), 1);
  EXPECT_EQ(countOf(one, StmtKind::Assign), 2);
}

TEST(Jam, LoopsWithOtherBoundsStayApart) {
  StmtP two = jam({loopTo("n", block({update("i")})), loopTo("m", block({update("j")}))});
  EXPECT_EQ(countOf(two, StmtKind::For), 2);
}

TEST(Jam, InstancesStayWhole) {
  StmtP both = jam({instanceBlock("S0", {i32("i")}, {update("i")}),
                    instanceBlock("S0", {i32("j")}, {update("j")})});
  int instances = 0;
  walkStmts(both, [&](const StmtP &s) { instances += s->isInstance(); });
  EXPECT_EQ(instances, 2);
}

static StmtP offset(const std::string &name, const std::string &from, int by) {
  return declare(name, kI32, {}, {binary("+", i32(from), intConst(by, kI32), kI32)});
}

TEST(Offsets, VariablesThatDifferByAConstant) {
  Offsets offsets(block({offset("i_1", "i", 1), offset("i_2", "i", 2)}));
  EXPECT_TRUE(offsets.areDifferent(element("i"), element("i_1")));
  EXPECT_TRUE(offsets.areDifferent(element("i_2"), element("i_1")));
  EXPECT_FALSE(offsets.areDifferent(element("i_1"), element("i_1")));
  EXPECT_FALSE(offsets.areDifferent(element("i_1"), element("j")));
}

TEST(Offsets, NamesThatMeanTwoThingsSayNothing) {
  Offsets offsets(block({block({offset("i_1", "i", 1)}), block({offset("i_1", "i", 0)})}));
  EXPECT_FALSE(offsets.areDifferent(element("i"), element("i_1")));
}

TEST(Offsets, ABaseThatIsDeclaredAgainSaysNothing) {
  StmtP again = block({declare("i", kI32, {}, {binary("*", i32("n"), intConst(4, kI32), kI32)})});
  Offsets offsets(block({declare("i", kI32, {}, {binary("*", i32("m"), intConst(4, kI32), kI32)}),
                         offset("i_1", "i", 1), again}));
  EXPECT_FALSE(offsets.areDifferent(element("i"), element("i_1")));
  Offsets counted(block({offset("i_1", "i", 1), loopTo("n", block({}))}));
  EXPECT_TRUE(counted.areDifferent(element("i"), element("i_1")));
  Offsets hidden(block({offset("i_1", "k", 1), loopTo("n", block({loopTo("n", block({}))}))}));
  EXPECT_FALSE(hidden.areDifferent(element("k"), element("i_1")));
}

TEST(Offsets, VariablesThatAreAssignedSayNothing) {
  Offsets offsets(block({offset("i_1", "i", 1), assign(i32("i"), i32("n"))}));
  EXPECT_FALSE(offsets.areDifferent(element("i"), element("i_1")));
}

TEST(Promotion, PositionsThatMayBeOneStayInMemory) {
  StmtP loop = loopTo("n", block({update("i"), update("j")}));
  EXPECT_EQ(countOf(promoteAccumulators(block({loop})), StmtKind::Keep), 0);
  StmtP apart = block({offset("j", "i", 4), loop});
  StmtP made = promoteAccumulators(apart);
  ASSERT_EQ(countOf(made, StmtKind::Keep), 1);
  walkStmts(made, [](const StmtP &s) {
    if (s->kind == StmtKind::Keep)
      EXPECT_EQ(keptElements(*s).size(), 2u);
  });
}

} // namespace nw::testing
