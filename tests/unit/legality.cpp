// The checks after scheduling: they accept what the scheduler makes, and notice when it is bent.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "poly/schedule.h"
#include "verify/legality.h"

namespace nw::testing {

// a[i] = a[i - 1] + 1 over rows: for i for j a[i][j] = a[i - 1][j]; only j is parallel.
static Region sweep() {
  ExprP n = v("n");
  StmtP s = assign(at("a", {v("i"), v("j")}), at("a", {op("-", v("i"), i32(1)), v("j")}));
  Region r = regionOf({loop("i", i32(1), n, {loop("j", i32(0), n, {s})})}, {scalar("n"), scalar("i"), scalar("j"), pointer("a", kI32, {cast(n, kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  return r;
}

struct Legality : ::testing::Test {
  Program program = buildProgram(sweep());
  Dependences dependences = computeDependences(program);
  Schedule good = schedule(program, dependences, true);
};

static Step *findParallel(Step &s) {
  if (s.kind == StepKind::Parallel)
    return &s;
  for (Step &c : s.children)
    if (Step *found = findParallel(c))
      return found;
  return nullptr;
}

TEST_F(Legality, TheModelIsAsWritten) {
  ASSERT_EQ(program.statements.size(), 1u);
  EXPECT_TRUE(program.statements[0].domain.is_equal(isl::set(program.isl->get(), "[n] -> { S0[i, j] : 1 <= i < n and 0 <= j < n }")));
  EXPECT_FALSE(dependences.all.empty());
}

TEST_F(Legality, TheScheduleIsLegal) {
  EXPECT_TRUE(hasParallelism(good.root));
  EXPECT_TRUE(checkDependences(program, dependences, good).empty());
  EXPECT_TRUE(checkCoverage(program, good).empty());
}

TEST_F(Legality, AParallelFlagOnTheCarryingLoopIsCaught) {
  Schedule bent = good;
  bent.root = Step{};
  bent.root.kind = StepKind::Parallel;
  bent.root.statements = {"S0"};
  bent.root.parallel = {{"i", isl::union_map(program.isl->get(), "{ S0[i, j] -> [i] }")}};
  bent.root.inside = isl::union_map(program.isl->get(), "{ S0[i, j] -> [j] }");
  auto found = checkDependences(program, dependences, bent);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].check, "dependences");
  EXPECT_NE(found[0].what.find("S0 -> S0 through a"), std::string::npos);
}

TEST_F(Legality, TheOtherLoopMayBeParallel) {
  Schedule other = good;
  other.root = Step{};
  other.root.kind = StepKind::Parallel;
  other.root.statements = {"S0"};
  other.root.parallel = {{"j", isl::union_map(program.isl->get(), "{ S0[i, j] -> [j] }")}};
  other.root.inside = isl::union_map(program.isl->get(), "{ S0[i, j] -> [i] }");
  EXPECT_TRUE(checkDependences(program, dependences, other).empty());
  EXPECT_TRUE(checkCoverage(program, other).empty());
}

TEST_F(Legality, ReversedTimeIsCaught) {
  Schedule bent = good;
  bent.root = Step{};
  bent.root.kind = StepKind::Serial;
  bent.root.statements = {"S0"};
  bent.root.inside = isl::union_map(program.isl->get(), "{ S0[i, j] -> [-i, j] }");
  EXPECT_FALSE(checkDependences(program, dependences, bent).empty());
  EXPECT_TRUE(checkCoverage(program, bent).empty());
}

TEST_F(Legality, MissingAndDoubledInstancesAreCaught) {
  Schedule bent = good;
  Step *step = findParallel(bent.root);
  ASSERT_NE(step, nullptr);
  step->statements.clear();
  EXPECT_FALSE(checkCoverage(program, bent).empty());
  bent = good;
  Step twice;
  twice.kind = StepKind::Sequence;
  twice.children = {good.root, good.root};
  bent.root = twice;
  EXPECT_FALSE(checkCoverage(program, bent).empty());
}

TEST_F(Legality, InstancesThatShareAPlaceAreCaught) {
  Schedule bent = good;
  bent.root = Step{};
  bent.root.kind = StepKind::Serial;
  bent.root.statements = {"S0"};
  bent.root.inside = isl::union_map(program.isl->get(), "{ S0[i, j] -> [j] }");
  EXPECT_FALSE(checkCoverage(program, bent).empty());
}

TEST_F(Legality, SubscriptsOutsideAKnownExtentAreCaught) {
  Variable fixed = scalar("b");
  fixed.storage = Storage::Global;
  fixed.extents = {intConst(10)};
  auto body = [&](int reach) { return regionOf({loop("i", i32(0), i32(reach), {assign(at("b", {v("i")}), i32(0))})}, {scalar("i"), fixed}); };
  EXPECT_TRUE(checkBounds(buildProgram(body(10))).empty());
  EXPECT_FALSE(checkBounds(buildProgram(body(11))).empty());
}

} // namespace nw::testing
