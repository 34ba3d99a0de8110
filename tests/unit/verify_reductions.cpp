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

StmtP changed(const StmtP &s, const std::function<void(Stmt &)> &change) {
  auto copy = std::make_shared<Stmt>(*s);
  change(*copy);
  return copy;
}

bool mentionsLane(const ExprP &e) {
  bool is = false;
  walk(e, [&](const ExprP &x) { return is |= isBuiltin(x, "local.x"), !is; });
  return is;
}

// for t { s[t] += b[i] for all i; u[t] += b[j] for all j; b[k] = s[t] for all k }
Region twoSumsInTime() {
  StmtP x = assign(at("s", {v("t")}), op("+", at("s", {v("t")}), at("b", {v("i")})));
  StmtP y = assign(at("u", {v("t")}), op("+", at("u", {v("t")}), at("b", {v("j")})));
  StmtP z = assign(at("b", {v("k")}), at("s", {v("t")}));
  Region r = regionOf({loop("t", i32(0), v("m"),
                            {loop("i", i32(0), v("n"), {x}), loop("j", i32(0), v("n"), {y}),
                             loop("k", i32(0), v("n"), {z})})},
                      {scalar("n"), scalar("m"), scalar("t"), scalar("i"), scalar("j"), scalar("k"),
                       pointer("s"), pointer("u"), pointer("b")});
  for (const char *name : {"t", "i", "j", "k"})
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
  Lowered several(twoSumsInTime(), true); // each with a register of the same name
  ASSERT_TRUE(hasForm(several.kernels.host, KernelForm::Resident));
  EXPECT_EQ(several.findings(), 0u);
}

// The Reduce of both kernels, of the one of all blocks, and of a resident one.
TEST(Reductions, ABentReduceIsSeen) {
  auto reduce = [](const std::function<void(Stmt &)> &change) {
    return
        [change](const StmtP &s) { return s->kind == StmtKind::Reduce ? changed(s, change) : s; };
  };
  std::vector<Change> changes = {
      reduce([](Stmt &s) { s.collective.op = "*"; }),
      reduce([](Stmt &s) { s.collective.axis = 1; }),
      reduce([](Stmt &s) { s.name = "nw_other"; }),
      reduce([](Stmt &s) { s.type = kI64; }),
      [](const StmtP &s) { return s->kind == StmtKind::Reduce ? block({}) : s; },
      [](const StmtP &s) { return s->kind == StmtKind::Reduce ? block({s, s}) : s; }};
  for (bool isResident : {false, true})
    for (size_t n = 0; n < changes.size(); n++) {
      Lowered bent(isResident ? sumsInTime() : sum("+"), isResident);
      EXPECT_GT(bent.bend(changes[n]), 0);
      EXPECT_GT(bent.findings(), 0u) << n << isResident;
    }
}

// if (local.x == 0) result: no thread, several, or one of the grid instead of the block.
TEST(Reductions, TheResultIsTakenByOneThreadOfTheBlock) {
  auto isFirst = [](const ExprP &e) {
    return e->kind == ExprKind::Binary && e->name == "==" && mentionsLane(e);
  };
  for (bool isResident : {false, true})
    for (int n = 0; n < 5; n++) {
      Lowered bent(isResident ? sumsInTime() : sum("+"), isResident);
      int many = bent.bend([&](const StmtP &s) {
        if (s->kind != StmtKind::If || !isFirst(s->exprs[0]))
          return s;
        const ExprP &lane = s->exprs[0]->args[0], &zero = s->exprs[0]->args[1];
        ExprP grid = rewrite(lane, [](const ExprP &e) {
          return e->kind == ExprKind::Builtin ? node(ExprKind::Builtin, {}, e->type, "thread.x")
                                              : e;
        });
        ExprP conditions[] = {binary("<", lane, zero, kI32), binary("<=", lane, i32(1), kI32),
                              binary("!=", lane, zero, kI32), binary("==", grid, zero, kI32),
                              i32(1)};
        return ifElse(conditions[n], s->body[0]);
      });
      EXPECT_GT(many, 0);
      EXPECT_GT(bent.findings(), 0u) << n << isResident;
    }
}

TEST(Reductions, AnotherStartIsSeen) {
  for (const char *op : {"+", "*", "^"}) {
    Lowered bent(sum(op));
    EXPECT_EQ(bent.bend([](const StmtP &s) {
      return s->kind == StmtKind::Declare && s->name == "nw_reduced" ? withExprs(s, {i32(2)}) : s;
    }),
              2);
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

// partial[block.x] = reduced, and reduced = reduced op partial[b] for all blocks.
TEST(Reductions, PartialResultsAreWrittenAndTaken) {
  auto isOfPartials = [](const ExprP &e) {
    return e->kind == ExprKind::Index && baseOf(e)->name.starts_with("partial");
  };
  auto ofPartials = [&](const std::function<ExprP(const ExprP &)> &change) {
    return [=](const StmtP &s) {
      return s->kind == StmtKind::Assign
                 ? rewriteExprs(s, [&](const ExprP &e) { return isOfPartials(e) ? change(e) : e; })
                 : s;
    };
  };
  auto loopOfCombine = [](const std::function<void(Loop &)> &change) {
    return [=](const StmtP &s) {
      return s->kind == StmtKind::For && s->loop.counter == "nw_block"
                 ? changed(s, [&](Stmt &x) { change(x.loop); })
                 : s;
    };
  };
  std::vector<Change> changes = {
      [&](const StmtP &s) { // added to what is there
        return s->kind == StmtKind::Assign && isOfPartials(s->exprs[0])
                   ? withExprs(s, {s->exprs[0], binary("+", s->exprs[0], s->exprs[1], kI32)})
                   : s;
      },
      ofPartials([](const ExprP &e) {
        return index(e->args[0], binary("+", e->args[1], i32(1), e->args[1]->type), e->type);
      }),
      ofPartials([](const ExprP &e) { return index(e->args[0], i32(0), e->type); }),
      loopOfCombine([](Loop &l) { l.start = intConst(0); }),
      loopOfCombine([](Loop &l) { l.step *= 2; }),
      loopOfCombine([](Loop &l) { l.step /= 2; }),
      loopOfCombine([](Loop &l) {
        l.condition = binary("<=", l.condition->args[0], l.condition->args[1], kI32);
      }),
      [](const StmtP &s) { // taken away instead of added
        bool isStep = s->kind == StmtKind::Assign && s->exprs[1]->kind == ExprKind::Binary &&
                      s->exprs[1]->name == "+";
        return isStep ? withExprs(s, {s->exprs[0], binary("-", s->exprs[1]->args[0],
                                                          s->exprs[1]->args[1], kI32)})
                      : s;
      },
      [](const StmtP &s) { // another assignment beside it
        return s->kind == StmtKind::For && s->loop.counter == "nw_block"
                   ? block({s, assign(at("s", {i32(0)}), i32(0))})
                   : s;
      }};
  for (size_t n = 0; n < changes.size(); n++) {
    Lowered bent(sum("+"));
    EXPECT_GT(bent.bend(changes[n]), 0) << n;
    EXPECT_GT(bent.findings() + readingFindings(bent.program, bent.kernels).size(), 0u) << n;
  }
  Lowered alone(sum("+"));
  ASSERT_EQ(alone.kernels.host.children.size(), 2u);
  HostStep reduction = alone.kernels.host.children[0];
  alone.kernels.host = reduction;
  EXPECT_GT(alone.findings(), 0u);
}

// The combining kernel has one block, and counts the blocks of the other.
TEST(Reductions, OneBlockCombines) {
  for (int n = 0; n < 3; n++) {
    Lowered bent(sum("+"));
    HostStep &second = bent.kernels.host.children[1];
    Kernel &combine = bent.kernels.kernels[size_t(second.kernel)];
    if (n == 0)
      second.threads[0] = intConst(second.threads[0]->integer * 2);
    if (n == 1)
      bent.kernels.host.children[0].limit[0] /= 2;
    for (KernelParameter &q : combine.parameters)
      if (n == 2 && q.name == "nw_blocks")
        q.value = binary("-", q.value, intConst(1), kI64);
    EXPECT_FALSE(readingFindings(bent.program, bent.kernels).empty()) << n;
  }
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
