// Lengths and candidates of the paper share, with the values of its section 3.2.1 and of the
// specification.
#include "share_build.h"

namespace nw::testing {

using namespace share;

TEST(ShareLength, ValuesAndText) {
  Length l = (threadsX() + number(2)) * threadsY() / number(4) - (number(3) - threadsZ());
  EXPECT_EQ(text(l), "(TB_X + 2)*TB_Y/4 - (3 - TB_Z)");
  EXPECT_EQ(valueAt(l, {32, 8, 1}), (32 + 2) * 8 / 4 - 2);
  EXPECT_EQ(valueAt(anyLength(), {32, 8, 1}), std::nullopt);
  EXPECT_EQ(valueAt(number(1) / (threadsZ() - number(1)), {32, 8, 1}), std::nullopt);
  EXPECT_TRUE(isSame(threadsX() * number(2), threadsX() + threadsX()));
  EXPECT_FALSE(isSame(threadsX(), threadsY()));
  EXPECT_FALSE(isSame(threadsX(), anyLength()));
}

TEST(ShareCandidates, CJoinsAAndB) {
  Shared s(gemm());
  std::vector<Candidate> found = s.candidates({"A", "B"});
  EXPECT_EQ(namesOf(found), (std::vector<std::string>{"A", "B", "C"}));
  EXPECT_NE(found[2].why.find("value flow in S1"), std::string::npos) << found[2].why;
  EXPECT_NE(found[2].why.find("dependence of sum"), std::string::npos) << found[2].why;
  EXPECT_EQ(namesOf(s.candidates({"A"})), (std::vector<std::string>{"A", "B", "C"})); // through sum
}

TEST(ShareCandidates, WithoutSeedsAllArrays) {
  EXPECT_EQ(namesOf(Shared(gemm()).candidates({})), (std::vector<std::string>{"A", "B", "C"}));
}

// p[i] = a[i] + b[i]; q[i] = b[i] * d[i]: reading b in both is not a dependence.
TEST(ShareCandidates, ReadingTheSameArrayTiesNothing) {
  ExprP i = v("i"), n = v("n");
  StmtP first = assign(f32("p", {i}), op("+", f32("a", {i}), f32("b", {i})));
  StmtP second = assign(f32("q", {i}), op("*", f32("b", {i}), f32("d", {i})));
  Program program = buildProgram(
      regionOf({loop("i", i32(0), n, {first, second})},
               {scalar("n"), vector("a"), vector("b"), vector("d"), vector("p"), vector("q")}));
  Dependences d = computeDependences(program);
  EXPECT_EQ(namesOf(candidatesOf(program, d, {"S0", "S1"}, {"a"})),
            (std::vector<std::string>{"a", "b", "p"}));
  EXPECT_EQ(namesOf(candidatesOf(program, d, {"S0", "S1"}, {"b"})),
            (std::vector<std::string>{"b", "a", "p", "d", "q"}));
}

TEST(ShareCandidates, AnUnknownSeedIsRefused) {
  EXPECT_NE(messageOf([] { Shared(gemm()).candidates({"D"}); }).find("'D'"), std::string::npos);
  EXPECT_NE(messageOf([] { Shared(gemm()).candidates({"sum"}); }).find("'sum'"), std::string::npos);
}

} // namespace nw::testing
