// Wrong kernels that differ from right ones only where samples do not look: at large sizes, in late
// blocks, in odd threads.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/readers/positions.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

ExprP builtin(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }
ExprP more(ExprP a, ExprP b) { return binary(">", std::move(a), std::move(b), kI32); }
ExprP both(ExprP a, ExprP b) { return binary("&&", std::move(a), std::move(b), kI32); }

void eachStep(HostStep &s, const std::function<void(HostStep &)> &change) {
  change(s);
  forEachPart(s, [&](HostStep &part) { eachStep(part, change); });
}

} // namespace

// A region, and what becomes of it when its kernels are bent.
struct Bent {
  explicit Bent(Region r, bool isResident = false) : program(buildProgram(r)) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, commonDevice());
    for (LoopPlan &l : plan.loops)
      l.form = isResident ? LaunchMode::Resident : LaunchMode::Plain;
    kernels = lower(program, d, s, plan, commonDevice());
  }

  void bodies(const std::function<StmtP(const StmtP &)> &change) {
    for (Kernel &x : kernels.kernels)
      x.body = change(x.body);
  }
  void statements(const std::function<StmtP(const StmtP &)> &change) {
    bodies([&](const StmtP &s) { return rewritten(s, change); });
  }

  std::set<std::string> found() const {
    std::set<std::string> names;
    for (const Finding &f : verifyKernels(program, kernels, commonDevice()))
      names.insert(f.check);
    return names;
  }

  Program program;
  Kernels kernels;
};

// for i a[i] = b[i] + n
static Region plain() {
  StmtP s = assign(at("a", {v("i")}), op("+", at("b", {v("i")}), v("n")));
  Region r = regionOf({loop("i", i32(0), v("n"), {s})},
                      {scalar("n"), scalar("i"), pointer("a"), pointer("b")});
  r.variables["i"].storage = Storage::Local;
  return r;
}

// for i for j a[i][j] = a[i - 1][j]: only j is parallel.
static Region sweep() {
  ExprP n = v("n");
  StmtP s = assign(at("a", {v("i"), v("j")}), at("a", {op("-", v("i"), i32(1)), v("j")}));
  Region r = regionOf({loop("i", i32(1), n, {loop("j", i32(0), n, {s})})},
                      {scalar("n"), scalar("i"), scalar("j"), pointer("a", kI32, {cast(n, kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  return r;
}

// A time loop over two sweeps that need each other.
static Region pingpong() {
  ExprP n = v("n");
  auto copy = [&](const char *counter, const char *to, const char *from) {
    return loop(counter, i32(1), n,
                {assign(at(to, {v(counter)}), at(from, {op("-", v(counter), i32(1))}))});
  };
  Region r = regionOf({loop("t", i32(0), v("steps"), {copy("i", "b", "a"), copy("k", "a", "b")})},
                      {scalar("n"), scalar("steps"), scalar("t"), scalar("i"), scalar("k"),
                       pointer("a"), pointer("b")});
  for (const char *name : {"t", "i", "k"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// for i a[i] += b[k] over all k: the sum is kept in a register.
static Region rows() {
  StmtP s = assign(at("a", {v("i")}), op("+", at("a", {v("i")}), at("b", {v("k")})));
  Region r =
      regionOf({loop("i", i32(0), v("n"), {loop("k", i32(0), v("m"), {s})})},
               {scalar("n"), scalar("m"), scalar("i"), scalar("k"), pointer("a"), pointer("b")});
  r.variables["i"].storage = r.variables["k"].storage = Storage::Local;
  return r;
}

// s += b[i]
static Region sum() {
  Variable s = pointer("s");
  StmtP x = assign(at("s", {i32(0)}), op("+", at("s", {i32(0)}), at("b", {v("i")})));
  Region r =
      regionOf({loop("i", i32(0), v("n"), {x})}, {scalar("n"), scalar("i"), s, pointer("b")});
  r.variables["i"].storage = Storage::Local;
  return r;
}

TEST(VerifyHoles, WhatLoweringMakesPasses) {
  for (const Region &r : {plain(), sweep(), pingpong(), rows(), sum()})
    EXPECT_EQ(Bent(r).found(), std::set<std::string>{});
  EXPECT_EQ(Bent(pingpong(), true).found(), std::set<std::string>{});
}

TEST(VerifyHoles, AThreadThatLeavesEarlyIsSeen) {
  for (StmtKind kind : {StmtKind::Return, StmtKind::While}) {
    Bent b(plain());
    StmtP leaves = marker(kind);
    if (kind == StmtKind::While) {
      auto forever = std::make_shared<Stmt>(*leaves);
      forever->exprs = {i32(1)};
      forever->body = {block({})};
      leaves = forever;
    }
    b.bodies([&](const StmtP &s) {
      return block({ifElse(more(builtin("thread.x"), i32(5000)), leaves), s});
    });
    EXPECT_TRUE(b.found().count("positions"));
  }
}

TEST(VerifyHoles, ALoopThatIsLeftEarlyIsSeen) {
  Bent b(sweep());
  b.statements([](const StmtP &s) -> StmtP {
    if (s->kind != StmtKind::For)
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->body = {
        block({ifElse(more(v(s->loop.counter), i32(5000)), marker(StmtKind::Break)), s->body[0]})};
    return copy;
  });
  EXPECT_FALSE(b.found().empty());
}

TEST(VerifyHoles, AssignmentsOutsideOfInstancesAreSeen) {
  for (const ExprP &target : {at("a", {i32(0)}), v("n")}) {
    Bent b(plain());
    b.bodies([&](const StmtP &s) {
      return block({ifElse(more(v("n"), i32(5000)), assign(target, i32(7))), s});
    });
    EXPECT_TRUE(b.found().count("positions")) << print(target);
  }
}

// Resident kernels run in three blocks in the samples, and in many on a device.
TEST(VerifyHoles, AGuardThatLeavesOutBlocksIsSeen) {
  for (bool isInside : {false, true})
    for (bool isNamed : {false, true}) {
      Bent b(pingpong(), true);
      b.statements([&](const StmtP &s) -> StmtP {
        if (s->kind != StmtKind::For || !s->loop.stride)
          return s;
        ExprP guard = less(isNamed ? v("q") : builtin("block.x"), i32(3));
        auto copy = std::make_shared<Stmt>(*s);
        if (isInside)
          copy->body = {ifElse(guard, s->body[0])};
        StmtP code = isInside ? StmtP(copy) : ifElse(guard, s);
        return isNamed ? block({declare("q", kI32, {}, {builtin("block.x")}), code}) : code;
      });
      EXPECT_TRUE(b.found().count("positions")) << isInside << isNamed;
    }
}

// A thread's number in a variable of its own does not say which iterations the thread gets.
TEST(VerifyHoles, AGuardOnAThreadInsideItsLoopIsSeen) {
  Bent b(pingpong(), true);
  b.statements([&](const StmtP &s) -> StmtP {
    if (s->kind != StmtKind::For || !s->loop.stride)
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->body = {ifElse(less(v("q"), i32(4000)), s->body[0])};
    return block({declare("q", kI32, {}, {builtin("thread.x")}), copy});
  });
  EXPECT_TRUE(b.found().count("positions"));
}

// Blocks have two threads a side in most samples.
TEST(VerifyHoles, AGuardThatLeavesOutLanesIsSeen) {
  Bent b(plain());
  b.bodies(
      [](const StmtP &s) { return ifElse(binary("!=", builtin("local.x"), i32(3), kI32), s); });
  EXPECT_TRUE(b.found().count("cover"));
}

TEST(VerifyHoles, ArgumentsThatDifferAtLargeSizesAreSeen) {
  ExprP capped = node(ExprKind::Min, {v("n"), i32(5000)}, kI32);
  Bent b(plain()), c(sweep());
  for (KernelParameter &q : b.kernels.kernels[0].parameters)
    if (q.name == "n")
      q.value = select(more(v("n"), i32(5000)), op("+", v("n"), i32(1)), v("n"), kI32);
  EXPECT_TRUE(b.found().count("arguments"));
  for (KernelParameter &q : c.kernels.kernels[0].parameters)
    if (q.name == "a")
      q.extents[1] = cast(capped, kI64);
  EXPECT_TRUE(c.found().count("arguments"));
}

TEST(VerifyHoles, DeclarationsInFrontOfABodyHideNothing) {
  for (const char *name : {"n", "i"}) {
    Bent b(plain());
    b.statements([&](const StmtP &s) -> StmtP {
      if (!s->isInstance())
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      copy->body.insert(copy->body.begin(),
                        declare(name, kI32, {}, {node(ExprKind::Min, {v(name), i32(5000)}, kI32)}));
      return copy;
    });
    EXPECT_TRUE(b.found().count("bodies")) << name;
  }
}

// The field of the samples has one zero.
TEST(VerifyHoles, TheOtherZeroIsSeen) {
  StmtP s = assign(at("b", {v("i")}, kF32), op("*", at("a", {v("i")}, kF32), floatConst(0, kF32)));
  Region r = regionOf({loop("i", i32(0), v("n"), {s})},
                      {scalar("n"), scalar("i"), pointer("a", kF32), pointer("b", kF32)});
  r.variables["i"].storage = Storage::Local;
  Bent x(r);
  EXPECT_TRUE(x.found().empty());
  x.bodies([](const StmtP &body) {
    return rewriteExprs(body, [](const ExprP &e) {
      return e->kind == ExprKind::Float ? floatConst(-0.0, e->type) : e;
    });
  });
  EXPECT_TRUE(x.found().count("bodies"));
}

// Rows of threads run b = a + 1, then c = b * 2, each thread its own values: from a line on, they
// would be other threads' values, and nothing waits in between.
TEST(VerifyHoles, ALoopFromALineOnIsNotAThreadsOwn) {
  ExprP i = v("i"), j = v("j");
  Region r =
      regionOf({loop("i", i32(0), v("n"),
                     {loop("j", i32(0), v("m"),
                           {assign(at("b", {i, j}), op("+", at("a", {i, j}), i32(1))),
                            assign(at("c", {i, j}), op("*", at("b", {i, j}), i32(2)))})})},
               {scalar("n"), scalar("m"), scalar("i"), scalar("j"), pointer("a", kI32, {v("m")}),
                pointer("b", kI32, {v("m")}), pointer("c", kI32, {v("m")})});
  for (const char *name : {"i", "j"})
    r.variables[name].storage = Storage::Local;
  for (bool isOfLine : {false, true}) {
    Bent x(r);
    Kernel &kernel = x.kernels.kernels.at(0);
    std::vector<StmtP> loops;
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (!s->isInstance())
        return;
      auto l = std::make_shared<Stmt>(
          *forLoop("j", kI32, builtin("local.x"), less(j, v("m")), i32(32), s));
      l->loop.stride = nullptr;
      l->loop.step = 32;
      if (isOfLine && !loops.empty())
        l->loop.line = {binary("*", cast(i, kI64), cast(v("m"), kI64), kI64), "nw_begin"};
      loops.push_back(l);
    });
    ASSERT_EQ(loops.size(), 2u);
    kernel.block = {32, 8, 1};
    kernel.body = block(
        {declare("i", kI32, {}, {builtin("thread.y")}), ifElse(less(i, v("n")), block(loops))});
    eachStep(x.kernels.host, [&](HostStep &step) {
      if (step.kind == HostKind::Launch)
        step.threads = {intConst(32), cast(v("n"), kI64), intConst(1)};
    });
    bool isSeen = false;
    for (const Finding &f : provedFindings(x.program, x.kernels))
      isSeen |= f.what.find("begins at a line") != std::string::npos;
    EXPECT_EQ(isSeen, isOfLine);
  }
}

// What is loaded and stored by a thread that has nothing to do may change meanwhile.
TEST(VerifyHoles, AKeptRegisterWithoutItsGuardIsSeen) {
  for (const ExprP &guard : {i32(1), less(i32(0), op("+", v("m"), i32(1)))}) {
    Bent b(rows());
    int gone = 0;
    b.statements([&](const StmtP &s) -> StmtP {
      if (s->kind != StmtKind::Keep)
        return s;
      gone++;
      auto copy = std::make_shared<Stmt>(*s);
      copy->exprs[0] = guard;
      return copy;
    });
    ASSERT_EQ(gone, 1);
    EXPECT_TRUE(b.found().count("keep"));
  }
}

// for i if (i != 5000) a[i] = a[i - 1]: as a guard, and as a bound at which the loop ends.
TEST(VerifyHoles, ALoopEndsWhereItsConditionFailsFirst) {
  StmtP s = assign(at("a", {v("i")}), at("a", {op("-", v("i"), i32(1))}));
  Region r =
      regionOf({loop("i", i32(1), v("n"), {ifElse(binary("!=", v("i"), i32(5000), kI32), s)})},
               {scalar("n"), scalar("i"), pointer("a")});
  r.variables["i"].storage = Storage::Local;
  Bent b(r);
  EXPECT_EQ(b.found(), std::set<std::string>{});
  ASSERT_EQ(b.kernels.kernels.size(), 1u);
  StmtP instance;
  b.statements([&](const StmtP &x) {
    if (x->isInstance())
      instance = x;
    return x;
  });
  auto copy = std::make_shared<Stmt>(*instance);
  copy->values = {v("i")};
  copy->body = {rewriteExprs(s, [](const ExprP &e) {
    return e->kind == ExprKind::Var && e->name == "i" ? cast(e, kI32) : e;
  })};
  auto whole = [&](const ExprP &condition, const StmtP &body) {
    return forLoop("i", kI32, i32(1), condition, i32(1), body);
  };
  ExprP isOther = binary("!=", v("i"), i32(5000), kI32), isInside = less(v("i"), v("n"));
  b.kernels.kernels[0].body = block({whole(isInside, ifElse(isOther, copy))});
  EXPECT_EQ(b.found(), std::set<std::string>{});
  b.kernels.kernels[0].body = block({whole(both(isInside, isOther), copy)});
  EXPECT_TRUE(b.found().count("positions"));
}

TEST(VerifyHoles, TheHostsOtherBranchIsRead) {
  Bent b(pingpong());
  int bent = 0;
  eachStep(b.kernels.host, [&](HostStep &s) {
    if (s.kind != HostKind::Loop)
      return;
    s.loop = rewritten(s.loop, [&](const StmtP &x) -> StmtP {
      if (x->kind != StmtKind::For)
        return x;
      auto copy = std::make_shared<Stmt>(*x);
      copy->body = {
          block({x->body[0], ifElse(less(v("n"), i32(5000)),
                                    block({declare("nothing", kI32, {}, {i32(0)})}), x->body[0])})};
      bent++;
      return copy;
    });
  });
  ASSERT_EQ(bent, 1);
  EXPECT_TRUE(b.found().count("cover"));
}

// for (i = 0; i != n; i++): n is not negative.
TEST(VerifyHoles, AssumptionsAreChecked) {
  StmtP s = assign(at("a", {op("*", v("i"), i32(2))}), at("b", {v("i")}));
  Region r =
      regionOf({forLoop("i", kI32, i32(0), binary("!=", v("i"), v("n"), kI32), i32(1), block({s}))},
               {scalar("n"), scalar("i"), pointer("a"), pointer("b")});
  r.variables["i"].storage = Storage::Local;
  Bent b(r);
  EXPECT_EQ(b.found(), std::set<std::string>{});
  if (b.program.context.is_subset(b.program.assumptions))
    GTEST_SKIP() << "nothing is assumed";
  b.kernels.assumptions = binary(
      "||", binary("&&", binary(">=", v("n"), i32(0), kI32), less(v("n"), i32(1 << 20)), kI32),
      both(less(v("n"), i32(-5000)), more(v("n"), i32(-6000))), kI32);
  EXPECT_TRUE(b.found().count("assumptions"));
}

// for i for j for k a[i][j][k] = b[k]: two dimensions share the threads along y.
TEST(VerifyHoles, AProductOfThreadsThatMayBeNothingIsSeen) {
  ExprP n = cast(v("n"), kI64);
  StmtP s = assign(at("a", {v("i"), v("j"), v("k")}), at("b", {v("k")}));
  Region r = regionOf(
      {loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {loop("k", i32(0), v("n"), {s})})})},
      {scalar("n"), scalar("i"), scalar("j"), scalar("k"), pointer("a", kI32, {n, n}),
       pointer("b")});
  for (const char *name : {"i", "j", "k"})
    r.variables[name].storage = Storage::Local;
  Bent b(r);
  EXPECT_EQ(b.found(), std::set<std::string>{});
  eachStep(b.kernels.host, [](HostStep &x) {
    if (x.kind == HostKind::Launch)
      x.threads[1] = select(more(v("n"), i32(5000)), intConst(0), x.threads[1], kI64);
  });
  EXPECT_TRUE(b.found().count("cover"));
}

// Short counters and casts are wide enough for every sample.
TEST(VerifyHoles, NarrowNumbersAreSeen) {
  Type narrow = typeOf(Scalar::I16);
  Bent b(plain()), c(sweep()), d(plain());
  b.statements([&](const StmtP &s) -> StmtP {
    auto copy = std::make_shared<Stmt>(*s);
    if (s->kind == StmtKind::Declare)
      copy->type = narrow;
    return copy;
  });
  EXPECT_TRUE(b.found().count("positions"));
  c.statements([&](const StmtP &s) -> StmtP {
    auto copy = std::make_shared<Stmt>(*s);
    if (s->kind == StmtKind::For)
      copy->loop.type = narrow;
    return copy;
  });
  EXPECT_FALSE(c.found().empty());
  d.statements([&](const StmtP &s) -> StmtP {
    auto copy = std::make_shared<Stmt>(*s);
    if (s->kind == StmtKind::Declare)
      copy->exprs = {cast(cast(s->exprs[0], narrow), kI32)};
    return copy;
  });
  EXPECT_TRUE(d.found().count("positions"));
}

TEST(VerifyHoles, AMissingTestForOverlapIsSeen) {
  Bent b(plain());
  ASSERT_EQ(b.kernels.mayAlias.size(), 1u);
  b.kernels.mayAlias.clear();
  EXPECT_TRUE(b.found().count("overlap"));
}

// Partial results of many blocks are more than the samples have.
TEST(VerifyHoles, PartialResultsAreTakenOfEveryBlock) {
  Bent b(sum()), c(sum());
  ASSERT_EQ(b.kernels.kernels.size(), 2u);
  for (KernelParameter &q : b.kernels.kernels[1].parameters)
    if (q.name == "nw_blocks")
      q.value = node(ExprKind::Min, {q.value, intConst(40)}, kI64);
  EXPECT_TRUE(b.found().count("reductions"));
  eachStep(c.kernels.host, [](HostStep &s) {
    if (s.kind == HostKind::Launch && s.kernel == 1)
      s.condition = both(s.condition ? s.condition : i32(1), less(v("n"), i32(5000)));
  });
  EXPECT_TRUE(c.found().count("reductions"));
}

TEST(VerifyHoles, RangesThatAreShortAtLargeSizesAreSeen) {
  for (const Region &r : {plain(), sweep()}) {
    Bent b(r), c(r);
    for (Buffer &x : b.kernels.buffers)
      if (x.name == "a") {
        ExprP rows =
            x.high->kind == ExprKind::Binary && x.high->name == "*" ? x.high->args[0] : x.high;
        ExprP cut = node(ExprKind::Min, {cast(rows, kI64), intConst(5000)}, kI64);
        x.high = rows == x.high ? cut : binary("*", cut, x.high->args[1], kI64);
      }
    EXPECT_TRUE(b.found().count("ranges"));
    for (Buffer &x : c.kernels.buffers)
      if (x.name == "a")
        x.touched = both(x.touched ? x.touched : i32(1), less(v("n"), i32(5000)));
    EXPECT_TRUE(c.found().count("ranges"));
  }
}

TEST(VerifyHoles, AChoiceWithoutAResidentKernelIsSeen) {
  Bent b(pingpong(), true);
  ASSERT_TRUE(hasForm(b.kernels.host, KernelForm::Resident));
  eachStep(b.kernels.host, [](HostStep &s) {
    if (s.kind == HostKind::Choice)
      std::swap(s.alternatives[0].body, s.children[0]);
  });
  EXPECT_TRUE(b.found().count("positions"));
}

// Two negative counts have a positive product: the loop over it runs although the source's loops do
// not.
TEST(VerifyHoles, CountsThatMayBothBeNegativeAreSeen) {
  StmtP x = assign(at("s", {i32(0)}), op("+", at("s", {i32(0)}), at("b", {v("i"), v("j")})));
  Region r = regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {x})})},
                      {scalar("n"), scalar("m"), scalar("i"), scalar("j"), pointer("s"),
                       pointer("b", kI32, {cast(v("m"), kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  Bent b(r);
  auto isSaid = [&] {
    bool said = false;
    for (const Finding &f : readingFindings(b.program, b.kernels))
      said |= f.what.find("may be negative") != std::string::npos;
    return said;
  };
  EXPECT_FALSE(isSaid());
  eachStep(b.kernels.host, [](HostStep &s) { s.condition = nullptr; });
  EXPECT_TRUE(isSaid());
}

} // namespace nw::testing
