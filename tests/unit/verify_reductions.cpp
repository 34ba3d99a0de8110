// The checks 'reductions' and 'widths': steps of a reduction that are wrong for a few threads only,
// and numbers that are too large only at sizes no sample has.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "lower/reduction.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/kernel_checks.h"
#include "verify/interpreter/memory.h"
#include "verify/readers/reduction_parts.h"

namespace nw::testing {

namespace {

StmtP withExprs(const StmtP &s, std::vector<ExprP> exprs) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->exprs = std::move(exprs);
  return copy;
}

bool isShared(const ExprP &e) {
  return e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var &&
         e->args[0]->name.starts_with("nw_shared");
}

// One step of the tree: shared[lane] = shared[lane] + shared[lane + width].
bool isTreeStep(const StmtP &s, int64_t width) {
  if (s->kind != StmtKind::Assign || !isShared(s->exprs[0]) ||
      s->exprs[1]->kind != ExprKind::Binary)
    return false;
  const ExprP &other = s->exprs[1]->args[1];
  return isShared(other) && other->args[1]->kind == ExprKind::Binary &&
         other->args[1]->args[1]->integer == width;
}

// s[0] += b[i]
Region sum(const char *op_) {
  StmtP x = assign(at("s", {i32(0)}), op(op_, at("s", {i32(0)}), at("b", {v("i")})));
  Region r = regionOf({loop("i", i32(0), v("n"), {x})},
                      {scalar("n"), scalar("i"), pointer("s"), pointer("b")});
  r.variables["i"].storage = Storage::Local;
  return r;
}

// for t { s[t] += b[i] for all i; b[i] = s[t] for all i }
Region sumsInTime() {
  StmtP x = assign(at("s", {v("t")}), op("+", at("s", {v("t")}), at("b", {v("i")})));
  StmtP y = assign(at("b", {v("j")}), at("s", {v("t")}));
  Region r = regionOf(
      {loop("t", i32(0), v("m"), {loop("i", i32(0), v("n"), {x}), loop("j", i32(0), v("n"), {y})})},
      {scalar("n"), scalar("m"), scalar("t"), scalar("i"), scalar("j"), pointer("s"),
       pointer("b")});
  for (const char *name : {"t", "i", "j"})
    r.variables[name].storage = Storage::Local;
  return r;
}

struct Lowered {
  explicit Lowered(const Region &r, bool isResident = false) : program(buildProgram(r)) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, commonDevice());
    for (LoopPlan &l : plan.loops)
      l.form = isResident ? LaunchMode::Resident : LaunchMode::Plain;
    kernels = lower(program, d, s, plan, commonDevice());
  }

  // How many positions `change` touches; the problems that 'reductions' has then.
  int bend(const Change &change) {
    int changed = 0;
    for (Kernel &x : kernels.kernels)
      x.body = rewritten(x.body, [&](const StmtP &s) {
        StmtP bent = change(s);
        changed += bent != s;
        return bent;
      });
    return changed;
  }
  size_t findings() const {
    size_t many = 0;
    for (const PositionReport &report : readPositions(program, kernels))
      many += checkReductions(program, kernels, report).size();
    return many;
  }

  Program program;
  Kernels kernels;
};

} // namespace

TEST(Reductions, WhatLoweringMakesPasses) {
  for (const char *op : {"+", "*", "^"}) {
    Lowered plain(sum(op));
    ASSERT_EQ(plain.kernels.kernels.size(), 2u);
    EXPECT_EQ(plain.findings(), 0u);
  }
  Lowered resident(sumsInTime(), true);
  ASSERT_TRUE(hasForm(resident.kernels.host, KernelForm::Resident));
  EXPECT_EQ(resident.findings(), 0u);
}

TEST(Reductions, AStepOfTheTreeThatIsBentIsSeen) {
  for (bool isResident : {false, true})
    for (int64_t width : {1, 8, 128}) {
      Region region = isResident ? sumsInTime() : sum("+");
      Lowered shifted(region, isResident), dropped = shifted, self = shifted, product = shifted;
      EXPECT_GT(shifted.bend([&](const StmtP &s) {
        return isTreeStep(s, width)
                   ? rewritten(s,
                               [&](const StmtP &x) {
                                 return withExprs(
                                     x, {x->exprs[0],
                                         binary("+", x->exprs[1]->args[0],
                                                index(x->exprs[1]->args[1]->args[0],
                                                      binary("+", x->exprs[1]->args[1]->args[1],
                                                             i32(1), kI32),
                                                      kI32),
                                                kI32)});
                               })
                   : s;
      }),
                0);
      EXPECT_GT(shifted.findings(), 0u) << width;
      EXPECT_GT(dropped.bend([&](const StmtP &s) { return isTreeStep(s, width) ? block({}) : s; }),
                0);
      EXPECT_GT(dropped.findings(), 0u) << width;
      EXPECT_GT(self.bend([&](const StmtP &s) {
        return isTreeStep(s, width)
                   ? withExprs(s,
                               {s->exprs[0], binary("+", s->exprs[1]->args[0], s->exprs[0], kI32)})
                   : s;
      }),
                0);
      EXPECT_GT(self.findings(), 0u) << width;
      EXPECT_GT(product.bend([&](const StmtP &s) {
        return isTreeStep(s, width)
                   ? withExprs(s, {s->exprs[0],
                                   binary("*", s->exprs[1]->args[0], s->exprs[1]->args[1], kI32)})
                   : s;
      }),
                0);
      EXPECT_GT(product.findings(), 0u) << width;
    }
}

TEST(Reductions, AGuardOfTheTreeThatIsDroppedOrLooseIsSeen) {
  Lowered dropped(sum("+")), loose = dropped;
  auto isGuard = [](const StmtP &s) {
    return s->kind == StmtKind::If && s->body.size() == 1 && isTreeStep(s->body[0], 32);
  };
  EXPECT_EQ(dropped.bend([&](const StmtP &s) { return isGuard(s) ? s->body[0] : s; }), 1);
  EXPECT_GT(dropped.findings(), 0u);
  EXPECT_EQ(loose.bend([&](const StmtP &s) {
    return isGuard(s)
               ? withExprs(s, {binary("<=", s->exprs[0]->args[0], s->exprs[0]->args[1], kI32)})
               : s;
  }),
            1);
  EXPECT_GT(loose.findings(), 0u);
}

TEST(Reductions, ABarrierThatIsMissingIsSeen) {
  Lowered whole(sum("+"));
  int barriers = whole.bend([](const StmtP &s) -> StmtP {
    return s->kind == StmtKind::Barrier ? std::make_shared<Stmt>(*s) : s;
  });
  ASSERT_GT(barriers, 4);
  for (int gone = 0; gone + 1 < barriers;
       gone++) { // after the last step, thread 0 reads what thread 0 wrote
    Lowered bent(sum("+"));
    int n = 0;
    bent.bend([&](const StmtP &s) {
      return s->kind == StmtKind::Barrier && n++ == gone ? block({}) : s;
    });
    EXPECT_GT(bent.findings(), 0u) << gone;
  }
}

TEST(Reductions, ThreadsOfTheGridAreNotThreadsOfTheBlock) {
  Lowered bent(sum("+"));
  ASSERT_GT(bent.bend([](const StmtP &s) {
    if (s->kind != StmtKind::Assign || !isShared(s->exprs[0]))
      return s;
    return rewriteExprs(s, [](const ExprP &e) {
      return e->kind == ExprKind::Builtin && e->name == "local.x"
                 ? node(ExprKind::Builtin, {}, kI32, "thread.x")
                 : e;
    });
  }),
            0);
  EXPECT_GT(bent.findings(), 0u);
}

TEST(Reductions, AnotherStartIsSeen) {
  for (const char *op : {"+", "*", "^"}) {
    Lowered bent(sum(op));
    EXPECT_EQ(bent.bend([](const StmtP &s) {
      return s->kind == StmtKind::Declare && s->name == "nw_reduced" ? withExprs(s, {i32(2)}) : s;
    }),
              1);
    EXPECT_GT(bent.findings(), 0u) << op;
  }
}

// Where a minimum or maximum begins must leave every value of the type as it is: 128 leaves none
// below it in a char without a sign, though -128 is the least of all signed ones.
TEST(Reductions, ExtremesBeginAtTheEndsOfTheirType) {
  for (Scalar s : {Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32})
    for (ReductionKind kind : {ReductionKind::Min, ReductionKind::Max}) {
      Type t = typeOf(s);
      ExprP begin = identityOf(kind, t);
      EXPECT_TRUE(isNeutral(kind, begin)) << cName(s);
      for (int64_t v = -70000; v <= 70000; v++) {
        int64_t value = narrowed(s, v), start = narrowed(s, begin->integer);
        ASSERT_EQ(kind == ReductionKind::Min ? std::min(start, value) : std::max(start, value),
                  value)
            << cName(s);
      }
      for (int64_t wrong : {-129, -128, -1, 0, 127, 128, 255, 256, 32767, 65535})
        if (narrowed(s, wrong) != begin->integer)
          EXPECT_FALSE(isNeutral(kind, intConst(wrong, t))) << cName(s) << " " << wrong;
    }
}

TEST(Reductions, AnotherTargetIsSeen) {
  for (bool isResident : {false, true}) {
    Lowered bent(isResident ? sumsInTime() : sum("+"), isResident);
    ASSERT_GT(bent.bend([](const StmtP &s) {
      bool isResult = s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Index &&
                      s->exprs[0]->args[0]->kind == ExprKind::Var &&
                      s->exprs[0]->args[0]->name == "s";
      return isResult
                 ? rewriteExprs(s,
                                [](const ExprP &e) {
                                  return e->kind == ExprKind::Index &&
                                                 e->args[0]->kind == ExprKind::Var &&
                                                 e->args[0]->name == "s"
                                             ? index(e->args[0],
                                                     binary("+", e->args[1], i32(1), kI32), e->type)
                                             : e;
                                })
                 : s;
    }),
              0);
    EXPECT_GT(bent.findings(), 0u);
  }
}

TEST(Reductions, TheRegisterIsTheInstancesAlone) {
  for (bool isResident : {false, true}) {
    Lowered bent(isResident ? sumsInTime() : sum("+"), isResident);
    int changed = bent.bend([](const StmtP &s) -> StmtP {
      if (s->kind != StmtKind::For || s->loop.counter != "nw_instance")
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      ExprP late = binary(">", var("nw_instance", kI64), intConst(1000000), kI32);
      copy->body = {block({s->body[0], ifElse(late, assign(var("nw_reduced", kI32), i32(0)))})};
      return copy;
    });
    ASSERT_GT(changed, 0);
    EXPECT_GT(bent.findings(), 0u);
  }
}

TEST(Reductions, PartialResultsAreWrittenAndTaken) {
  Lowered added(sum("+")), alone = added;
  EXPECT_EQ(added.bend([](const StmtP &s) {
    bool isResult = s->kind == StmtKind::Assign && isShared(s->exprs[1]) && !isShared(s->exprs[0]);
    return isResult ? withExprs(s, {s->exprs[0], binary("+", s->exprs[0], s->exprs[1], kI32)}) : s;
  }),
            1);
  EXPECT_GT(added.findings(), 0u);
  ASSERT_EQ(alone.kernels.host.children.size(), 2u);
  HostStep reduction = alone.kernels.host.children[0];
  alone.kernels.host = reduction;
  EXPECT_GT(alone.findings(), 0u);
}

// for i a[i] = n, with the thread's number scaled and scaled back in 32 bits.
TEST(Widths, NumbersThatFitOnlyAtSmallSizesAreSeen) {
  Region r = regionOf({loop("i", i32(0), v("n"), {assign(at("a", {v("i")}), v("n"))})},
                      {scalar("n"), scalar("i"), pointer("a")});
  r.variables["i"].storage = Storage::Local;
  for (int64_t factor : {2, 64}) {
    for (bool isWide : {false, true}) {
      Lowered bent(r);
      Type type = isWide ? kI64 : kI32;
      int changed = bent.bend([&](const StmtP &s) {
        if (s->kind != StmtKind::Declare || s->exprs.empty())
          return s;
        ExprP there = binary("*", cast(s->exprs[0], type), intConst(factor, type), type);
        return withExprs(s, {cast(binary("/", there, intConst(factor, type), type), s->type)});
      });
      ASSERT_GT(changed, 0);
      bool isFound = false;
      for (const Finding &f : readingFindings(bent.program, bent.kernels))
        isFound |= f.check == "widths";
      EXPECT_EQ(isFound, factor == 64 && !isWide) << factor << " " << isWide;
    }
  }
}

// s += b[i][j]: the product of the counts, in 32 bits, wraps at 65536 rows and columns.
TEST(Widths, AProductOfCountsIsWide) {
  StmtP x = assign(at("s", {i32(0)}), op("+", at("s", {i32(0)}), at("b", {v("i"), v("j")})));
  Region r = regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {x})})},
                      {scalar("n"), scalar("m"), scalar("i"), scalar("j"), pointer("s"),
                       pointer("b", kI32, {cast(v("m"), kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  Lowered bent(r);
  EXPECT_TRUE(readingFindings(bent.program, bent.kernels).empty());
  int changed = 0;
  for (Kernel &k : bent.kernels.kernels)
    for (KernelParameter &q : k.parameters)
      if (q.name == "nw_instances") {
        q.value = cast(binary("*", v("m"), v("n"), kI32), kI64);
        changed++;
      }
  ASSERT_GT(changed, 0);
  EXPECT_FALSE(readingFindings(bent.program, bent.kernels).empty());
}

// An argument of 32 bits that the host computes in 64.
TEST(Widths, ArgumentsFitTheirParameters) {
  Region r = regionOf({loop("i", i32(0), v("n"), {assign(at("a", {v("i")}), v("n"))})},
                      {scalar("n"), scalar("i"), pointer("a")});
  r.variables["i"].storage = Storage::Local;
  Lowered bent(r);
  for (Kernel &k : bent.kernels.kernels)
    k.parameters.push_back({"nw_far",
                            kI32,
                            -1,
                            false,
                            {},
                            false,
                            binary("*", cast(v("n"), kI64), intConst(64), kI64)});
  bool isFound = false;
  for (const Finding &f : readingFindings(bent.program, bent.kernels))
    isFound |= f.check == "widths";
  EXPECT_TRUE(isFound);
}

} // namespace nw::testing
