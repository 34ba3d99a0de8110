// The checks of final kernels: they accept what lowering makes, and notice when a schedule or a
// kernel is bent.
#include "verify/verify.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/kernel_checks.h"

namespace nw::testing {

// for i for j a[i][j] = a[i - 1][j]: only j is parallel.
static Region sweep() {
  ExprP n = v("n");
  StmtP s = assign(at("a", {v("i"), v("j")}), at("a", {op("-", v("i"), i32(1)), v("j")}));
  Region r = regionOf({loop("i", i32(1), n, {loop("j", i32(0), n, {s})})},
                      {scalar("n"), scalar("i"), scalar("j"), pointer("a", kI32, {cast(n, kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  return r;
}

// Names of the checks that find something, for all sizes and by running.
static std::set<std::string> found(const Program &p, const Kernels &k) {
  std::set<std::string> names;
  for (const Finding &f : verifyKernels(p, k, commonDevice()))
    names.insert(f.check);
  return names;
}

// The same without the runs: what is proved for all sizes.
static std::set<std::string> proved(const Program &p, const Kernels &k) {
  std::set<std::string> names;
  for (const Finding &f : provedFindings(p, k))
    names.insert(f.check);
  return names;
}

struct Verify : ::testing::Test {
  Program program = buildProgram(sweep());
  Dependences dependences = computeDependences(program);
  Schedule good = schedule(program, dependences, true);

  Kernels lowered(const Schedule &s) {
    return lower(program, dependences, s, propose(program, s, commonDevice()), commonDevice());
  }

  // A single step over S0.
  Schedule step(StepKind kind, const char *parallel, const char *name, const char *inside,
                const std::vector<std::string> &insideNames) {
    Schedule s = good;
    s.root = Step{};
    s.root.kind = kind;
    s.root.statements = {"S0"};
    if (parallel)
      s.root.parallel = {
          {name, isl::union_map(program.isl->get(), parallel)
                     .intersect_domain(isl::union_set(program.statements[0].domain))}};
    s.root.inside = isl::union_map(program.isl->get(), inside);
    s.root.insideNames = insideNames;
    return s;
  }

  Kernels bent(const std::function<StmtP(const StmtP &)> &change) {
    Kernels k = lowered(good);
    for (Kernel &x : k.kernels)
      x.body = rewritten(x.body, change);
    return k;
  }
};

TEST_F(Verify, TheModelIsAsWritten) {
  ASSERT_EQ(program.statements.size(), 1u);
  EXPECT_TRUE(program.statements[0].domain.is_equal(
      isl::set(program.isl->get(), "[n] -> { S0[i, j] : 1 <= i < n and 0 <= j < n }")));
  EXPECT_FALSE(dependences.all.empty());
}

TEST_F(Verify, WhatLoweringMakesPasses) {
  ASSERT_TRUE(hasParallelism(good.root));
  EXPECT_EQ(found(program, lowered(good)), std::set<std::string>{});
}

TEST_F(Verify, TheOtherLoopMayBeParallel) {
  Schedule other =
      step(StepKind::Parallel, "{ S0[i, j] -> [j] }", "j", "{ S0[i, j] -> [i] }", {"i"});
  EXPECT_EQ(proved(program, lowered(other)), std::set<std::string>{});
}

TEST_F(Verify, TheCarryingLoopMayNot) {
  Schedule bentOne =
      step(StepKind::Parallel, "{ S0[i, j] -> [i] }", "i", "{ S0[i, j] -> [j] }", {"j"});
  EXPECT_EQ(proved(program, lowered(bentOne)), std::set<std::string>{"order"});
}

TEST_F(Verify, TimeMayNotRunBackwards) {
  Schedule reversed = step(StepKind::Serial, nullptr, "", "{ S0[i, j] -> [-i, j] }", {"", "j"});
  EXPECT_EQ(proved(program, lowered(reversed)), std::set<std::string>{"order"});
  Schedule forwards = step(StepKind::Serial, nullptr, "", "{ S0[i, j] -> [i, j] }", {"i", "j"});
  EXPECT_EQ(proved(program, lowered(forwards)), std::set<std::string>{});
}

TEST_F(Verify, StepsInTheWrongPositionAreSeen) {
  Schedule twice = good;
  twice.root = Step{};
  twice.root.children = {
      step(StepKind::Serial, nullptr, "", "{ S0[i, j] -> [i, j] }", {"i", "j"}).root,
      step(StepKind::Serial, nullptr, "", "{ S0[i, j] -> [i, j] }", {"i", "j"}).root};
  EXPECT_TRUE(proved(program, lowered(twice)).count("cover"));
}

TEST_F(Verify, AShorterLoopIsSeen) {
  Kernels k = bent([](const StmtP &s) -> StmtP {
    if (s->kind != StmtKind::For)
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->loop.start = binary("+", s->loop.start, intConst(1, s->loop.type), s->loop.type);
    return copy;
  });
  EXPECT_TRUE(proved(program, k).count("cover"));
}

TEST_F(Verify, AMissingGuardIsSeen) {
  Kernels k = bent([](const StmtP &s) { return s->kind == StmtKind::If ? s->body[0] : s; });
  EXPECT_TRUE(proved(program, k).count("cover"));
}

TEST_F(Verify, AnotherBodyIsSeen) {
  Kernels k = bent([](const StmtP &s) -> StmtP {
    if (s->kind != StmtKind::Assign)
      return s;
    return assign(s->exprs[0], s->exprs[0]);
  });
  EXPECT_TRUE(proved(program, k).count("bodies"));
}

TEST_F(Verify, ALaunchThatIsTooSmallIsSeen) {
  Kernels k = lowered(good);
  std::function<void(HostStep &)> cut = [&](HostStep &s) {
    if (s.kind == HostKind::Launch)
      s.threads[0] = binary("-", s.threads[0], intConst(1), kI64);
    forEachPart(s, cut);
  };
  cut(k.host);
  EXPECT_TRUE(proved(program, k).count("cover"));
}

TEST_F(Verify, ResourcesAreLimited) {
  Kernels k = lowered(good);
  EXPECT_TRUE(checkResources(k, commonDevice()).empty());
  k.kernels[0].block = {64, 64, 1};
  EXPECT_FALSE(checkResources(k, commonDevice()).empty());
}

// j takes the values of i only, but a loop over it runs to the end of the box around them: its
// guard has to say j < n, and had lost it.
TEST(VerifyBox, GuardsInsideLoopsOverBoxesAreKept) {
  ExprP n = v("n"), j = v("j"), i = v("i");
  StmtP s = assign(at("a", {i}), at("b", {j}));
  StmtP inner = forLoop(
      "j", kI32, i, binary("&&", less(j, v("m")), less(j, op("+", op("+", i, i), i32(2))), kI32),
      i32(2), block({s}));
  Region r = regionOf({loop("i", i32(1), n, {inner})}, {scalar("n"), scalar("m"), scalar("i"),
                                                        scalar("j"), pointer("a"), pointer("b")});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  Program program = buildProgram(r);
  Dependences dependences = computeDependences(program);
  Schedule order = schedule(program, dependences, true);
  Plan plan = propose(program, order, commonDevice());
  ASSERT_EQ(plan.kernels.size(), 1u);
  for (const std::vector<std::string> &grid :
       {std::vector<std::string>{"i", "j"}, std::vector<std::string>{"j", "i"}}) {
    plan.kernels[0].grid = grid;
    EXPECT_EQ(found(program, lower(program, dependences, order, plan, commonDevice())),
              std::set<std::string>{})
        << grid[0] << " along threads";
  }
}

// A time loop over two sweeps that need each other, as a resident kernel.
struct VerifyResident : ::testing::Test {
  static Region pingpong() {
    ExprP n = v("n");
    auto copy = [&](const char *to, const char *from) {
      return loop("i", i32(1), n, {assign(at(to, {v("i")}), at(from, {op("-", v("i"), i32(1))}))});
    };
    auto copyBack =
        loop("k", i32(1), n, {assign(at("a", {v("k")}), at("b", {op("-", v("k"), i32(1))}))});
    Region r = regionOf({loop("t", i32(0), v("steps"), {copy("b", "a"), copyBack})},
                        {scalar("n"), scalar("steps"), scalar("t"), scalar("i"), scalar("k"),
                         pointer("a"), pointer("b")});
    for (const char *name : {"t", "i", "k"})
      r.variables[name].storage = Storage::Local;
    return r;
  }
  Program program = buildProgram(pingpong());
  Dependences dependences = computeDependences(program);
  Schedule plan = schedule(program, dependences, true);

  Kernels lowered() {
    Plan p = propose(program, plan, commonDevice());
    for (LoopPlan &l : p.loops)
      l.form = LaunchMode::Resident;
    return lower(program, dependences, plan, p, commonDevice());
  }

  static std::set<std::string> proved(const Program &p, const Kernels &k) {
    std::set<std::string> names;
    for (const Finding &f : provedFindings(p, k))
      names.insert(f.check);
    return names;
  }
};

TEST_F(VerifyResident, BarriersBetweenStepsAreEnough) {
  Kernels k = lowered();
  ASSERT_TRUE(std::any_of(k.kernels.begin(), k.kernels.end(),
                          [](const Kernel &x) { return x.isResident(); }));
  EXPECT_EQ(proved(program, k), std::set<std::string>{});
}

TEST_F(VerifyResident, EveryBarrierIsNeeded) {
  int barriers = 0;
  for (const Kernel &x : lowered().kernels)
    walkStmts(x.body, [&](const StmtP &s) { barriers += s->kind == StmtKind::GridBarrier; });
  ASSERT_EQ(barriers, 2);
  for (int gone = 0; gone < barriers; gone++) {
    Kernels k = lowered();
    int number = 0;
    for (Kernel &x : k.kernels)
      x.body = rewritten(x.body, [&](const StmtP &s) {
        return s->kind == StmtKind::GridBarrier && number++ == gone ? block({}) : s;
      });
    EXPECT_TRUE(proved(program, k).count("order")) << "without barrier " << gone;
  }
}

TEST_F(VerifyResident, ABarrierUnderAConditionOnThreadsIsSeen) {
  Kernels k = lowered();
  for (Kernel &x : k.kernels)
    x.body = rewritten(x.body, [&](const StmtP &s) {
      return s->kind == StmtKind::GridBarrier
                 ? ifElse(binary("==", node(ExprKind::Builtin, {}, kI32, "thread.x"), i32(0), kI32),
                          s)
                 : s;
    });
  EXPECT_TRUE(proved(program, k).count("barriers"));
}

} // namespace nw::testing
