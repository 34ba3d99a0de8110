// The checks 'reductions' and 'widths': steps of a reduction that are wrong for a few threads only,
// and numbers that are too large only at sizes no sample has.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/kernel_checks.h"
#include "verify/interpreter/memory.h"
#include "verify/readers/reduction_parts.h"
#include <cmath>

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
    size_t many = checkPartialResults(kernels).size();
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

// The Reduce of all blocks, and of a resident kernel.
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
              1);
    EXPECT_GT(bent.findings(), 0u) << op;
  }
}

// Where a reduction begins must leave every value of the type as it is: 128 leaves none below it in
// a char without a sign, though -128 is the least of all signed ones.
TEST(Reductions, TheyBeginWithWhatChangesNothing) {
  using enum ReductionKind;
  auto reduced = [](ReductionKind kind, int64_t a, int64_t b) {
    return kind == Sum       ? a + b
           : kind == Product ? a * b
           : kind == Min     ? std::min(a, b)
           : kind == Max     ? std::max(a, b)
           : kind == And     ? a & b
           : kind == Or      ? a | b
                             : a ^ b;
  };
  for (Scalar s : {Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32})
    for (ReductionKind kind : {Sum, Product, Min, Max, And, Or, Xor}) {
      Type t = typeOf(s);
      Reduction r;
      r.kind = kind;
      r.type = t;
      ExprP begin = identityOf(r);
      EXPECT_TRUE(isNeutral(r, begin)) << cName(s);
      EXPECT_TRUE(sameTree(begin, identityOf(operatorOf(r), t)));
      for (int64_t v = -70000; v <= 70000; v++) {
        int64_t value = narrowed(s, v), start = narrowed(s, begin->integer);
        ASSERT_EQ(narrowed(s, reduced(kind, start, value)), value) << cName(s) << int(kind);
      }
      for (int64_t wrong : {-129, -128, -2, 2, 127, 128, 255, 256, 32767, 65535})
        if (narrowed(s, wrong) != narrowed(s, begin->integer))
          EXPECT_FALSE(isNeutral(r, intConst(wrong, t))) << cName(s) << " " << wrong;
    }
  for (Scalar s : {Scalar::F32, Scalar::F64}) {
    double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(identityOf("+", typeOf(s))->number, 0);
    EXPECT_EQ(identityOf("*", typeOf(s))->number, 1);
    EXPECT_EQ(identityOf("<", typeOf(s))->number, infinity);
    EXPECT_EQ(identityOf(">", typeOf(s))->number, -infinity);
    for (const char *passesOverNaN : {"fmin", "fmax"})
      EXPECT_TRUE(std::isnan(identityOf(passesOverNaN, typeOf(s))->number));
  }
}

TEST(Reductions, AnotherTargetIsSeen) {
  for (bool isResident : {false, true}) {
    Lowered bent(isResident ? sumsInTime() : sum("+"), isResident);
    ASSERT_GT(bent.bend([](const StmtP &s) {
      bool isResult = writesFirst(s->kind) && s->exprs[0]->kind == ExprKind::Index &&
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

// Each block leaves its result, and the next kernel takes all of them.
TEST(Reductions, PartialResultsAreLeftAndTaken) {
  auto node = [](StmtKind kind, const std::function<void(Stmt &)> &change) {
    return [kind, change](const StmtP &s) { return s->kind == kind ? changed(s, change) : s; };
  };
  auto leave = [&](const std::function<void(Stmt &)> &change) {
    return node(StmtKind::Leave, change);
  };
  auto take = [&](const std::function<void(Stmt &)> &change) {
    return node(StmtKind::Take, change);
  };
  ExprP block0 = nw::node(ExprKind::Builtin, {}, kI64, "block.x");
  std::vector<Change> changes = {
      leave([](Stmt &s) { s.exprs[0] = v("s"); }),
      leave([](Stmt &s) { s.exprs[1] = binary("+", s.exprs[1], i32(1), kI32); }),
      leave([](Stmt &s) { s.exprs[1] = i32(1); }),
      leave([](Stmt &s) { s.collective.axis = 1; }),
      leave([&](Stmt &s) {
        s.exprs.push_back(block0);
        s.exprs.push_back(var("nw_instances", kI64));
      }),
      take([](Stmt &s) { s.exprs[1] = v("s"); }),
      take([](Stmt &s) { s.exprs[2] = binary("-", s.exprs[2], intConst(1), kI64); }),
      take([](Stmt &s) { s.exprs[2] = intConst(1); }),
      take([](Stmt &s) { s.exprs[3] = i32(0); }),
      take([](Stmt &s) { s.exprs.push_back(s.exprs[2]); }),
      take([](Stmt &s) { s.collective.axis = 1; }),
      take([](Stmt &s) { s.collective.axis = kOneThread; }),
      take([](Stmt &s) { s.collective.op = "*"; }),
      take([](Stmt &s) { s.collective.op = "-"; }),
      take([](Stmt &s) { s.exprs.pop_back(); }),
      [](const StmtP &s) { return s->kind == StmtKind::Leave ? block({s, s}) : s; },
      [](const StmtP &s) { return s->kind == StmtKind::Take ? block({s, s}) : s; },
      [](const StmtP &s) { return s->kind == StmtKind::Leave ? block({}) : s; },
      [](const StmtP &s) { return s->kind == StmtKind::Take ? block({}) : s; },
      [](const StmtP &s) { // by some blocks
        return s->kind == StmtKind::Leave ? ifElse(binary("<", v("n"), i32(100000), kI32), s) : s;
      },
      [](const StmtP &s) {
        return s->kind == StmtKind::Take ? ifElse(binary("<", v("n"), i32(100000), kI32), s) : s;
      },
      [](const StmtP &s) { // another assignment beside it
        return s->kind == StmtKind::Take ? block({s, assign(at("s", {i32(0)}), i32(0))}) : s;
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
  for (int n = 0; n < 7; n++) {
    Lowered bent(sum("+"));
    HostStep &first = bent.kernels.host.children[0], &second = bent.kernels.host.children[1];
    Kernel &combine = bent.kernels.kernels[size_t(second.kernel)];
    if (n == 0)
      second.threads[0] = intConst(second.threads[0]->integer * 2);
    if (n == 1)
      first.limit[0] /= 2;
    for (KernelParameter &q : combine.parameters)
      if (n == 2 && q.name == "nw_blocks")
        q.value = binary("-", q.value, intConst(1), kI64);
    if (n == 3)
      first.threads[1] = intConst(2);
    if (n == 4)
      second.condition = binary("<", v("n"), i32(100000), kI32);
    if (n == 5)
      combine.block[0] *= 2;
    for (Buffer &b : bent.kernels.buffers)
      if (n == 6 && isForPartials(b))
        b.high = intConst(b.high->integer - 1);
    EXPECT_GT(bent.findings(), 0u) << n;
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
