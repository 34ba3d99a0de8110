// Steps that only set or scale elements become the beginning of those that go on with them, and no
// others do.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "poly/schedule.h"

namespace nw::testing {

namespace {

StmtP add(const ExprP &to, const ExprP &what) { return assign(to, op("+", to, what)); }

// for k: y[k] = 0; `between`; for j, i: y[j] += A[i][j].
Region sums(const ExprP &end, const std::vector<StmtP> &between, const ExprP &set = i32(0),
            const ExprP &position = v("k")) {
  std::vector<StmtP> all = {loop("k", i32(0), end, {assign(at("y", {position}), set)})};
  all.insert(all.end(), between.begin(), between.end());
  all.push_back(
      loop("j", i32(0), v("n"),
           {loop("i", i32(0), v("m"), {add(at("y", {v("j")}), at("A", {v("i"), v("j")}))})}));
  Region r =
      regionOf(all, {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"), scalar("l"),
                     pointer("A", kI32, {v("n")}), pointer("x"), pointer("y"), pointer("z")});
  for (const char *name : {"i", "j", "k", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// The statements of each step, in order.
std::vector<std::vector<std::string>> stepsOf(const Region &r) {
  Program p = buildProgram(r);
  Step root = schedule(p, computeDependences(p), true).root;
  std::vector<std::vector<std::string>> all;
  for (const Step &s : root.kind == StepKind::Sequence ? root.children : std::vector<Step>{root})
    all.push_back(s.statements);
  return all;
}

using Steps = std::vector<std::vector<std::string>>;

} // namespace

TEST(InitFusion, WhatIsOnlySetBecomesABeginning) {
  EXPECT_EQ(stepsOf(sums(v("n"), {})), (Steps{{"S0", "S1"}}));
  // It waits for steps that have nothing to do with it.
  StmtP other = loop("l", i32(0), v("m"), {assign(at("x", {v("l")}), at("z", {v("l")}))});
  EXPECT_EQ(stepsOf(sums(v("n"), {other})), (Steps{{"S1"}, {"S0", "S2"}}));
}

TEST(InitFusion, WhatIsScaledBecomesABeginning) {
  ExprP own = at("y", {v("k")}), other = at("y", {op("+", v("k"), v("n"))});
  EXPECT_EQ(stepsOf(sums(v("n"), {}, op("*", own, i32(3)))), (Steps{{"S0", "S1"}}));
  EXPECT_EQ(stepsOf(sums(v("n"), {}, op("*", own, at("z", {v("k")})))),
            (Steps{{"S0"}, {"S1"}})); // by something that the sum does not read
  EXPECT_EQ(stepsOf(sums(v("n"), {}, op("*", own, other))),
            (Steps{{"S0"}, {"S1"}})); // with an element that is another's
  StmtP reads =
      loop("l", i32(0), v("n"),
           {assign(at("x", {v("l")}), at("y", {op("-", op("-", v("n"), v("l")), i32(1))}))});
  EXPECT_EQ(stepsOf(sums(v("n"), {reads}, op("*", own, i32(3)))),
            (Steps{{"S0"}, {"S1"}, {"S2"}})); // which somebody else reads in between
}

TEST(InitFusion, WhatOthersNeedIsNotMoved) {
  StmtP reads =
      loop("l", i32(0), v("n"),
           {assign(at("x", {v("l")}), at("y", {op("-", op("-", v("n"), v("l")), i32(1))}))});
  EXPECT_EQ(stepsOf(sums(v("n"), {reads})), (Steps{{"S0"}, {"S1"}, {"S2"}}));
  StmtP writes = loop("l", i32(0), v("n"),
                      {assign(at("y", {op("-", op("-", v("n"), v("l")), i32(1))}), i32(3))});
  EXPECT_EQ(stepsOf(sums(v("n"), {writes})), (Steps{{"S0"}, {"S1"}, {"S2"}}));
}

TEST(InitFusion, OtherThreadsOrElementsStayApart) {
  EXPECT_EQ(stepsOf(sums(op("+", v("n"), i32(1)), {})), (Steps{{"S0"}, {"S1"}}));
  EXPECT_EQ(stepsOf(sums(v("m"), {})), (Steps{{"S0"}, {"S1"}}));
  EXPECT_EQ(stepsOf(sums(v("n"), {}, i32(0), op("-", op("-", v("n"), v("k")), i32(1)))),
            (Steps{{"S0"}, {"S1"}})); // from the other end
  EXPECT_EQ(stepsOf(sums(v("n"), {}, at("z", {v("k")}))),
            (Steps{{"S0"}, {"S1"}})); // not only set: read from elsewhere
}

} // namespace nw::testing
