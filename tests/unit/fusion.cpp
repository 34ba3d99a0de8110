// Two reductions over one array in one kernel: which steps are fused, what becomes of them, and
// that the verifier sees what is bent, for all sizes.
// Over 500 lines: one kernel, bent in many ways.
#include "plan/fusion.h"
#include "build.h"
#include "choices.h"
#include "frontend/affine/build_program.h"
#include "kernel/cyclic_loop.h"
#include "kernel/expand.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "proved.h"
#include "support/diagnostics.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/partial_results.h"
#include "verify/interpreter/interpreter.h"
#include "verify/verify.h"
#include <iostream>

namespace nw::testing {

namespace {

StmtP changed(const StmtP &s, const std::function<void(Stmt &)> &change) {
  auto copy = std::make_shared<Stmt>(*s);
  change(*copy);
  return copy;
}

Region local(Region r) {
  for (const char *name : {"i", "j", "k", "l"})
    if (r.variables.count(name))
      r.variables[name].storage = Storage::Local;
  return r;
}

StmtP add(const ExprP &to, const ExprP &what) { return assign(to, op("+", to, what)); }

// x[i] += A[i][j] * p[j] for all i, j; then y[k] += A[l][k] * q[l] for all k, l.
Region separate(int shift = 0) {
  StmtP rows = add(at("x", {v("i")}), op("*", at("A", {v("i"), v("j")}), at("p", {v("j")})));
  StmtP columns = add(
      at("y", {v("k")}),
      op("*", at("A", {v("l"), shift ? op("+", v("k"), i32(shift)) : v("k")}), at("q", {v("l")})));
  return local(regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {rows})}),
                         loop("k", i32(0), v("m"), {loop("l", i32(0), v("n"), {columns})})},
                        {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"),
                         scalar("l"), pointer("A", kI32, {v("m")}), pointer("x"), pointer("y"),
                         pointer("p"), pointer("q")}));
}

// for i { [t[i] = 0;] for j: t[i] += A[i][j] * p[j]; for k: y[k] += A[i][k] * t[i] }
Region chained(bool hasStart) {
  ExprP t = at("t", {v("i")});
  StmtP rows = add(t, op("*", at("A", {v("i"), v("j")}), at("p", {v("j")}))),
        columns = add(at("y", {v("k")}), op("*", at("A", {v("i"), v("k")}), t));
  std::vector<StmtP> body;
  if (hasStart)
    body.push_back(assign(t, i32(0)));
  body.push_back(loop("j", i32(0), v("m"), {rows}));
  body.push_back(loop("k", i32(0), v("m"), {columns}));
  return local(regionOf({loop("i", i32(0), v("n"), body)},
                        {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"),
                         pointer("A", kI32, {v("m")}), pointer("t"), pointer("y"), pointer("p")}));
}

// The same as separate(), with sums in variables: for i { s = x[i]; for j: s += …; x[i] = s }, and
// so on with u for y.
Region summed() {
  StmtP rows = add(v("s"), op("*", at("A", {v("i"), v("j")}), at("p", {v("j")}))),
        columns = add(v("u"), op("*", at("A", {v("l"), v("k")}), at("q", {v("l")})));
  Region r =
      regionOf({loop("i", i32(0), v("n"),
                     {assign(v("s"), at("x", {v("i")})), loop("j", i32(0), v("m"), {rows}),
                      assign(at("x", {v("i")}), v("s"))}),
                loop("k", i32(0), v("m"),
                     {assign(v("u"), at("y", {v("k")})), loop("l", i32(0), v("n"), {columns}),
                      assign(at("y", {v("k")}), v("u"))})},
               {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"), scalar("l"),
                scalar("s"), scalar("u"), pointer("A", kI32, {v("m")}), pointer("x"), pointer("y"),
                pointer("p"), pointer("q")});
  for (const char *name : {"s", "u"}) {
    r.variables[name].storage = Storage::Local;
    r.variables[name].liveAfter = r.variables[name].addressKnown = false;
  }
  return local(r);
}

Program privatized(const Region &r) {
  Program plain = buildProgram(r);
  return privatize(plain);
}

DeviceSpec wideDevice() {
  DeviceSpec device = commonDevice();
  device.multiprocessors = 8;
  return device;
}

struct Fused {
  // Small blocks, so that the interpreter is quick.
  explicit Fused(const Region &r, int rows = 2, int fromColumns = 0) : program(privatized(r)) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    facts = factsOf(program, s, device);
    plan = propose(program, s, facts, device);
    for (KernelPlan &k : plan.kernels)
      if (k.fuse)
        k.fuse = FusePlan{k.fuse->with, 32, 2, rows, 3, {0, fromColumns}};
    kernels = lower(program, d, s, plan, device);
  }

  HostStep &choice() { return *choiceOf(kernels.host, KernelForm::Fused); }
  HostAlternative &fused() { return choice().alternatives.at(0); }
  HostStep &launch(size_t n) { return fused().body.children.at(n); }
  Kernel &kernel(size_t n) { return kernels.kernels[size_t(launch(n).kernel)]; } // rows, columns

  std::vector<Finding> findings() const { return provedFindings(program, kernels); }

  // What the checks for all sizes find after a change.
  size_t after(const std::function<void(Fused &)> &bend) const {
    Fused bent = *this;
    bend(bent);
    return bent.findings().size();
  }
  size_t afterExprs(size_t n, const std::function<ExprP(const ExprP &)> &change) const {
    return after([&](Fused &j) {
      int many = 0;
      j.kernel(n).body = rewriteExprs(j.kernel(n).body, [&](const ExprP &e) {
        ExprP bent = change(e);
        many += bent != e;
        return bent;
      });
      EXPECT_GT(many, 0);
    });
  }
  size_t afterStmts(size_t n, const Change &change) const {
    return after([&](Fused &j) {
      int many = 0;
      j.kernel(n).body = rewritten(j.kernel(n).body, [&](const StmtP &s) {
        StmtP bent = change(s);
        many += bent != s;
        return bent;
      });
      EXPECT_GT(many, 0);
    });
  }

  DeviceSpec device = wideDevice();
  Program program;
  RegionFacts facts;
  Plan plan;
  Kernels kernels;
};

bool isNamed(const ExprP &e, const std::string &name) {
  return e->kind == ExprKind::Var && e->name == name;
}
bool isAssignTo(const StmtP &s, const std::string &name) {
  return s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && baseOf(s->exprs[0])->name == name;
}
bool isRowLoop(const StmtP &s) { return s->kind == StmtKind::For && s->loop.counter == "nw_rows"; }
ExprP more(const ExprP &e) { return binary("+", e, intConst(1, e->type), e->type); }

int countOf(const StmtP &body, StmtKind kind) {
  int many = 0;
  walkStmts(body, [&](const StmtP &s) { many += s->kind == kind; });
  return many;
}

} // namespace

TEST(Fusion, StepsThatReduceOverOneArrayAreFusedAndRight) {
  for (const Region &region : {separate(), chained(true), chained(false), summed()})
    for (auto [rows, fromColumns] :
         {std::pair(1, 0), std::pair(2, 0), std::pair(3, 0), std::pair(2, 33), std::pair(2, 64)}) {
      Fused j(region, rows, fromColumns);
      ASSERT_TRUE(hasForm(j.kernels.host, KernelForm::Fused));
      for (const Finding &f : j.findings())
        ADD_FAILURE() << f.check << ": " << f.what;
      EXPECT_TRUE(verifyKernels(j.program, j.kernels, j.device).empty());
      for (auto [n, m] : {std::pair(1, 1), std::pair(7, 64), std::pair(13, 45), std::pair(6, 31),
                          std::pair(5, 65), std::pair(0, 3)}) {
        SampleInput input;
        RunLimits limits;
        limits.selection = {{KernelForm::Fused}};
        limits.steps = 20000000;
        input.scalars = {{"n", n}, {"m", m}};
        RunResult original = runOriginal(j.program.region, input, limits),
                  kernels = runKernels(j.program, j.kernels, input, limits);
        ASSERT_EQ(kernels.kind, RunResult::Kind::Finished);
        for (const Finding &f : kernels.findings)
          ADD_FAILURE() << f.check << ": " << f.what;
        for (const Finding &f : compareRuns(j.program.region, original, kernels))
          ADD_FAILURE() << f.check << ": " << f.what;
      }
    }
}

TEST(Fusion, AResultThatAllThreadsKnowNeedsNoBarrier) {
  Fused known(chained(true)), read(chained(false)), apart(separate());
  EXPECT_EQ(countOf(known.kernel(0).body, StmtKind::Barrier), 0);
  EXPECT_EQ(countOf(read.kernel(0).body, StmtKind::Barrier), 1);
  EXPECT_EQ(countOf(apart.kernel(0).body, StmtKind::Barrier), 0);
}

TEST(Fusion, OtherStepsAreNotFused) {
  auto fusions = [](const Region &r) {
    Fused j(r);
    return std::ranges::any_of(j.facts, [](const StepFacts &f) { return f.fusion.has_value(); });
  };
  EXPECT_TRUE(fusions(separate()));
  EXPECT_FALSE(fusions(separate(1))); // other elements
  // y of all rows is needed for any: y[k] += A[l][k] * x[l], where x[l] comes of y
  StmtP rows = add(at("x", {v("i")}), op("*", at("A", {v("i"), v("j")}), at("p", {v("j")})));
  StmtP columns = add(at("y", {v("k")}), op("*", at("A", {v("l"), v("k")}),
                                            at("x", {op("-", op("-", v("n"), v("l")), i32(1))})));
  Region turned =
      local(regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {rows})}),
                      loop("k", i32(0), v("m"), {loop("l", i32(0), v("n"), {columns})})},
                     {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"), scalar("l"),
                      pointer("A", kI32, {v("m")}), pointer("x"), pointer("y"), pointer("p")}));
  EXPECT_FALSE(fusions(turned));
  // A triangle.
  StmtP part = add(at("x", {v("i")}), op("*", at("A", {v("i"), v("j")}), at("p", {v("j")}))),
        other = add(at("y", {v("k")}), op("*", at("A", {v("l"), v("k")}), at("q", {v("l")})));
  Region triangle = local(regionOf(
      {loop("i", i32(0), v("n"), {loop("j", v("i"), v("n"), {part})}),
       loop("k", i32(0), v("n"), {loop("l", i32(0), op("+", v("k"), i32(1)), {other})})},
      {scalar("n"), scalar("i"), scalar("j"), scalar("k"), scalar("l"),
       pointer("A", kI32, {v("n")}), pointer("x"), pointer("y"), pointer("p"), pointer("q")}));
  EXPECT_FALSE(fusions(triangle));
  PlanOptions off;
  off.fuse = false;
  Program p = buildProgram(separate());
  Schedule s = schedule(p, computeDependences(p), true);
  RegionFacts facts = factsOf(p, s, wideDevice());
  Plan plan = propose(p, s, facts, wideDevice(), off);
  EXPECT_FALSE(plan.kernels[0].fuse);
  EXPECT_TRUE(facts[0].fusion);
}

TEST(Fusion, RowsThatAreBentAreSeen) {
  for (const Region &region : {separate(), chained(true), chained(false), summed()}) {
    Fused j(region);
    ASSERT_EQ(j.findings().size(), 0u);
    auto inRowLoop = [&](const std::function<void(Stmt &)> &change) {
      return j.afterStmts(0, [&](const StmtP &s) { return isRowLoop(s) ? changed(s, change) : s; });
    };
    EXPECT_GT(inRowLoop([](Stmt &s) { s.loop.start = more(s.loop.start); }), 0u);
    EXPECT_GT(inRowLoop([](Stmt &s) {
                s.loop.stride = binary("*", s.loop.stride, intConst(2, s.loop.type), s.loop.type);
              }),
              0u);
    EXPECT_GT(inRowLoop([](Stmt &s) {
                s.loop.start = node(ExprKind::Builtin, {}, s.loop.type, "thread.x");
              }),
              0u);
    EXPECT_GT(inRowLoop([](Stmt &s) {
                s.loop.start = node(ExprKind::Builtin, {}, s.loop.type, "local.x");
              }),
              0u);
    EXPECT_GT(inRowLoop([](Stmt &s) {
                s.loop.condition =
                    binary("<", s.loop.condition->args[0], s.loop.condition->args[1], kI32);
              }),
              0u);
    // The second row is the first once more, or the third.
    for (int64_t by : {0, 2})
      EXPECT_GT(j.afterStmts(0,
                             [&](const StmtP &s) {
                               return s->kind == StmtKind::Declare && s->name == "i_1"
                                          ? changed(s,
                                                    [&](Stmt &d) {
                                                      d.exprs[0] =
                                                          binary("+", d.exprs[0]->args[0],
                                                                 intConst(by, d.type), d.type);
                                                    })
                                          : s;
                             }),
                0u);
    // The guard of the second row is dropped.
    EXPECT_GT(j.afterStmts(0,
                           [](const StmtP &s) {
                             return s->kind == StmtKind::If &&
                                            s->exprs[0]->kind == ExprKind::Binary &&
                                            isNamed(s->exprs[0]->args[0], "i_1")
                                        ? s->body[0]
                                        : s;
                           }),
              0u);
    // A reduction is not put together, in the wrong direction, or by some threads.
    EXPECT_GT(j.afterStmts(0,
                           [](const StmtP &s) {
                             return s->kind == StmtKind::Reduce && s->name == "nw_reduced2"
                                        ? block({})
                                        : s;
                           }),
              0u);
    EXPECT_GT(j.afterStmts(0,
                           [](const StmtP &s) {
                             return s->kind == StmtKind::Reduce
                                        ? changed(s, [](Stmt &f) { f.collective.axis = 1; })
                                        : s;
                           }),
              0u);
    EXPECT_GT(
        j.afterStmts(0,
                     [](const StmtP &s) {
                       return s->kind == StmtKind::Reduce
                                  ? ifElse(binary("<", node(ExprKind::Builtin, {}, kI32, "local.x"),
                                                  i32(16), kI32),
                                           s)
                                  : s;
                     }),
        0u);
    EXPECT_GT(
        j.afterStmts(
            0, [](const StmtP &s) { return s->kind == StmtKind::Reduce ? block({s, s}) : s; }),
        0u);
    // The results swap, or all threads take them.
    EXPECT_GT(j.afterStmts(0,
                           [](const StmtP &s) {
                             return s->kind == StmtKind::Assign &&
                                            mentions(s->exprs[1], "nw_reduced2") &&
                                            !isNamed(s->exprs[0], "nw_reduced2")
                                        ? assign(s->exprs[0],
                                                 rewrite(s->exprs[1],
                                                         [](const ExprP &e) {
                                                           return isNamed(e, "nw_reduced2")
                                                                      ? var("nw_reduced", e->type)
                                                                      : e;
                                                         }))
                                        : s;
                           }),
              0u);
    EXPECT_GT(j.afterExprs(0,
                           [](const ExprP &e) {
                             return e->kind == ExprKind::Binary && e->name == "==" &&
                                            isBuiltin(e->args[0], "local.x")
                                        ? intConst(1, kI32)
                                        : e;
                           }),
              0u);
  }
}

TEST(Fusion, ColumnsThatNobodyAsksAboutAreThere) {
  for (const Region &region : {separate(), chained(true), chained(false), summed()}) {
    Fused j(region, 2, 32), without(region, 2, 31);
    ASSERT_EQ(j.findings().size(), 0u);
    auto isSure = [](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->name == "||" &&
             e->args[0]->kind == ExprKind::Binary && isNamed(e->args[0]->args[0], "j");
    };
    auto turns = [](const ExprP &e, int64_t many) {
      return binary(
          "||",
          binary("<", e->args[0]->args[0], intConst(32 * many, e->args[0]->args[1]->type), kI32),
          e->args[1], kI32);
    };
    int questions = 0;
    walkExprs(without.kernel(0).body, [&](const ExprP &e) { return questions += isSure(e), true; });
    EXPECT_EQ(questions, 0);
    // One turn more than is sure, everywhere or in one loop; no turn.
    EXPECT_GT(j.afterExprs(0, [&](const ExprP &e) { return isSure(e) ? turns(e, 2) : e; }), 0u);
    for (int which = 0; which < 3; which++) {
      int seen = 0;
      EXPECT_GT(
          j.afterExprs(
              0, [&](const ExprP &e) { return isSure(e) && seen++ == which ? turns(e, 2) : e; }),
          0u);
    }
    EXPECT_GT(j.afterExprs(0, [&](const ExprP &e) { return isSure(e) ? e->args[0] : e; }), 0u);
    // Launched for sizes that have fewer columns.
    EXPECT_GT(j.after([&](Fused &b) { b.fused().legalIf = without.fused().legalIf; }), 0u);
  }
}

TEST(Fusion, VariablesOfOtherRowsAreSeen) {
  Fused j(summed());
  EXPECT_GT(j.afterStmts(0,
                         [](const StmtP &s) {
                           return isAssignTo(s, "x") && isNamed(s->exprs[1], "s_p_1")
                                      ? assign(s->exprs[0], v("s_p"))
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [](const StmtP &s) {
                           return isAssignTo(s, "s_p_1") && mentions(s->exprs[1], "nw_reduced2")
                                      ? assign(v("s_p"), op("+", v("s_p"), v("nw_reduced2")))
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [](const StmtP &s) {
                           return s->kind == StmtKind::Declare && s->name == "s_p_1"
                                      ? changed(s, [](Stmt &d) { d.copyOf.clear(); })
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(1,
                         [](const StmtP &s) {
                           return isAssignTo(s, "u_p") && s->exprs[1]->kind == ExprKind::Index
                                      ? block({})
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(1, [](const StmtP &s) { return isAssignTo(s, "y") ? block({}) : s; }), 0u);
  EXPECT_GT(j.afterStmts(1,
                         [](const StmtP &s) {
                           return s->kind == StmtKind::Take && isNamed(s->exprs[0], "u_p")
                                      ? block({})
                                      : s;
                         }),
            0u);
}

TEST(Fusion, ElementsOfOtherRowsAndColumnsAreSeen) {
  for (const Region &region : {separate(), chained(true), chained(false)}) {
    Fused j(region);
    auto isLoad = [](const StmtP &s, const char *name) {
      return isAssignTo(s, name) && s->exprs[1]->kind == ExprKind::Index;
    };
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return isLoad(s, "A_row")
                                        ? assign(s->exprs[0], index(s->exprs[1]->args[0],
                                                                    more(s->exprs[1]->args[1]),
                                                                    s->exprs[1]->type))
                                        : s;
                           }),
              0u);
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return isLoad(s, "A_row2")
                                        ? assign(s->exprs[0], rewrite(s->exprs[1],
                                                                      [](const ExprP &e) {
                                                                        return isNamed(e, "i_1")
                                                                                   ? var("i",
                                                                                         e->type)
                                                                                   : e;
                                                                      }))
                                        : s;
                           }),
              0u);
    EXPECT_GT(j.afterStmts(0, [&](const StmtP &s) { return isLoad(s, "A_row") ? block({}) : s; }),
              0u);
    // Loaded where there is no such column, or no such row.
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return s->kind == StmtKind::If && isLoad(s->body[0], "A_row")
                                        ? s->body[0]
                                        : s;
                           }),
              0u);
    // A register of another row, or of another column.
    EXPECT_GT(j.afterExprs(0,
                           [](const ExprP &e) {
                             return e->kind == ExprKind::Staged && mentions(e->args[0], "A_row2")
                                        ? staged(index(var("A_row", e->type), e->args[0]->args[1],
                                                       e->type),
                                                 e->args[1])
                                        : e;
                           }),
              0u);
    EXPECT_GT(
        j.afterExprs(0,
                     [](const ExprP &e) {
                       return e->kind == ExprKind::Staged && mentions(e->args[0], "A_row")
                                  ? staged(index(e->args[0]->args[0], intConst(0, kI32), e->type),
                                           e->args[1])
                                  : e;
                     }),
        0u);
    // Columns of a thread that overlap, or leave some out; turns that are not those of the loop.
    auto inColumns = [&](const std::function<void(Stmt &)> &change) {
      return j.afterStmts(0, [&](const StmtP &s) {
        return s->kind == StmtKind::For && s->loop.cyclic.turns ? changed(s, change) : s;
      });
    };
    EXPECT_GT(inColumns([](Stmt &f) { f.loop.step = 16; }), 0u);
    EXPECT_GT(inColumns([](Stmt &f) { f.loop.cyclic.turns = 0; }), 0u);
    EXPECT_GT(inColumns([](Stmt &f) { f.loop.cyclic.turns = 1; }), 0u);
    EXPECT_GT(inColumns([](Stmt &f) { f.loop.cyclic.turn = "j"; }), 0u);
    EXPECT_GT(inColumns([](Stmt &f) { f.loop.start = more(f.loop.start); }), 0u);
    EXPECT_GT(inColumns([](Stmt &f) {
                f.loop.condition =
                    binary("<=", f.loop.condition->args[0], f.loop.condition->args[1], kI32);
              }),
              0u);
    // All of them, and registers, for the first turn alone.
    EXPECT_GT(j.afterStmts(0,
                           [](const StmtP &s) {
                             if (s->kind == StmtKind::Declare && s->owners)
                               return changed(s, [](Stmt &d) { d.extents[0] = 32; });
                             if (s->kind != StmtKind::For || !s->loop.cyclic.turns)
                               return s;
                             return cyclicLoop(s->loop.counter, s->loop.type, nullptr, 32,
                                               {"nw_column", 1}, s->body[0]);
                           }),
              0u);
    // Registers that are other threads', too, or not dealt out; elements of a row may be
    // everyone's.
    for (const char *name : {"A_row", "nw_sums"})
      for (auto [owners, elements] : {std::pair(0, 64), std::pair(16, 64), std::pair(32, 32),
                                      std::pair(32, 96), std::pair(64, 64)})
        EXPECT_EQ(j.afterStmts(0,
                               [&, owners = owners, elements = elements](const StmtP &s) {
                                 return s->kind == StmtKind::Declare && s->name == name
                                            ? changed(s,
                                                      [&](Stmt &d) {
                                                        d.owners = owners;
                                                        d.extents[0] = elements;
                                                      })
                                            : s;
                               }) == 0,
                  name == std::string("A_row") && owners == 0)
            << name << " of " << elements << ", " << owners << " owners";
    // Somebody writes the array meanwhile.
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return isLoad(s, "A_row")
                                        ? block({s, assign(s->exprs[1], s->exprs[0])})
                                        : s;
                           }),
              0u);
  }
}

// What the turns are expanded to is executed, whatever it looks like.
TEST(Fusion, ExpandedTurnsThatAreBentAreSeen) {
  for (const Region &region : {separate(), chained(true), chained(false)}) {
    Fused j(region);
    StmtP code = spelledOut(j.kernel(0)).body;
    auto problems = [&](const std::function<StmtP(const StmtP &)> &change) {
      Kernel bent = j.kernel(0);
      bent.body = change(code);
      EXPECT_NE(print(bent.body, 0), print(code, 0));
      return checkStaging(bent).size();
    };
    auto inStmts = [&](const Change &change) {
      return problems([&](const StmtP &s) { return rewritten(s, change); });
    };
    Kernel plain = j.kernel(0);
    plain.body = code;
    EXPECT_EQ(checkStaging(plain).size(), 0u);
    auto isLoad = [](const StmtP &s) {
      return isAssignTo(s, "A_row") && s->exprs[1]->kind == ExprKind::Index;
    };
    auto loads = [&](const ExprP &to, const ExprP &from) {
      return inStmts([&](const StmtP &s) {
        return isLoad(s) ? assign(to ? to : s->exprs[0], from ? from : s->exprs[1]) : s;
      });
    };
    ExprP turn = v("nw_column"), row = v("A_row"), a = at("A", {v("i"), v("j")});
    // Another register, element, row or array.
    EXPECT_GT(loads(index(row, i32(0), kI32), nullptr), 0u);
    EXPECT_GT(loads(index(row, op("-", i32(1), turn), kI32), nullptr), 0u);
    EXPECT_GT(loads(nullptr, at("A", {v("i"), more(v("j"))})), 0u);
    EXPECT_GT(loads(nullptr, at("A", {v("i_1"), v("j")})), 0u);
    EXPECT_GT(loads(nullptr, at("p", {v("j")})), 0u);
    EXPECT_GT(loads(nullptr, op("+", a, i32(0))), 0u);
    // Another turn is read.
    EXPECT_GT(problems([&](const StmtP &s) {
                return rewriteExprs(s, [&](const ExprP &e) {
                  return e->kind == ExprKind::Staged && mentions(e->args[0], "A_row")
                             ? staged(index(row, op("-", i32(1), turn), kI32), e->args[1])
                             : e;
                });
              }),
              0u);
    // Fewer columns are loaded, or fewer turns, or other ones.
    EXPECT_GT(inStmts([&](const StmtP &s) {
                return s->kind == StmtKind::If && isLoad(s->body[0])
                           ? ifElse(binary("<", s->exprs[0]->args[0], s->exprs[0]->args[1], kI32),
                                    s->body[0])
                           : s;
              }),
              0u);
    int loops = 0;
    EXPECT_GT(inStmts([&](const StmtP &s) { // of the first loop in the loop over rows
                return s->kind == StmtKind::For && s->loop.counter == "nw_column" && ++loops == 2
                           ? changed(s,
                                     [](Stmt &f) {
                                       f.loop.condition =
                                           binary("<", f.loop.condition->args[0], i32(1), kI32);
                                     })
                           : s;
              }),
              0u);
    int declarations = 0;
    EXPECT_GT(inStmts([&](const StmtP &s) {
                return s->kind == StmtKind::Declare && s->name == "j" && ++declarations == 2
                           ? changed(s, [](Stmt &d) { d.exprs[0] = more(d.exprs[0]); })
                           : s;
              }),
              0u);
    // The array is written meanwhile, or the reduction is not everyone's.
    EXPECT_GT(inStmts([&](const StmtP &s) {
                return isLoad(s) ? block({s, assign(at("A", {v("i"), v("j")}), i32(1))}) : s;
              }),
              0u);
    EXPECT_GT(inStmts([&](const StmtP &s) {
                return s->kind == StmtKind::Reduce
                           ? ifElse(binary("<", node(ExprKind::Builtin, {}, kI32, "local.x"),
                                           i32(16), kI32),
                                    s)
                           : s;
              }),
              0u);
  }
}

TEST(Fusion, ElementsOfRowsThatAreLoadedWronglyAreSeen) {
  Fused j(separate());
  auto isLoad = [](const StmtP &s, const char *name) {
    return s->kind == StmtKind::Assign && isNamed(s->exprs[0], name);
  };
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return isLoad(s, "q_here2") ? assign(s->exprs[0], at("q", {v("i")})) : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return isLoad(s, "q_here") ? assign(s->exprs[0], at("p", {v("i")})) : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0, [&](const StmtP &s) { return isLoad(s, "q_here") ? block({}) : s; }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return isLoad(s, "q_here") ? block({s, assign(s->exprs[0], i32(1))}) : s;
                         }),
            0u);
  // Not by all threads that have a column; by those that have none, it is there, too.
  EXPECT_EQ(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return s->kind == StmtKind::If && isLoad(s->body[0], "q_here")
                                      ? s->body[0]
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return s->kind == StmtKind::If && isLoad(s->body[0], "q_here")
                                      ? ifElse(binary("<", s->exprs[0]->args[0],
                                                      s->exprs[0]->args[1], kI32),
                                               s->body[0])
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return s->kind == StmtKind::If && isLoad(s->body[0], "q_here")
                                      ? ifElse(binary("==", s->exprs[0]->args[0], intConst(0, kI32),
                                                      kI32),
                                               s->body[0])
                                      : s;
                         }),
            0u);
  // Beyond the last row.
  EXPECT_GT(j.afterStmts(0,
                         [&](const StmtP &s) {
                           return s->kind == StmtKind::If && s->body[0]->kind == StmtKind::If &&
                                          isLoad(s->body[0]->body[0], "q_here2")
                                      ? s->body[0]
                                      : s;
                         }),
            0u);
  EXPECT_GT(j.afterExprs(0,
                         [](const ExprP &e) {
                           return e->kind == ExprKind::Staged && isNamed(e->args[0], "q_here2")
                                      ? staged(v("q_here"), e->args[1])
                                      : e;
                         }),
            0u);
}

TEST(Fusion, ResultsThatOthersReadTooEarlyAreSeen) {
  Fused read(chained(false)), known(chained(true));
  // Without the barrier; where some threads do not get to it; before the results are there.
  EXPECT_GT(read.afterStmts(
                0, [](const StmtP &s) { return s->kind == StmtKind::Barrier ? block({}) : s; }),
            0u);
  EXPECT_GT(read.afterStmts(
                0,
                [](const StmtP &s) {
                  return s->kind == StmtKind::Barrier
                             ? ifElse(binary("==", node(ExprKind::Builtin, {}, kI32, "local.x"),
                                             i32(0), kI32),
                                      s)
                             : s;
                }),
            0u);
  EXPECT_GT(read.afterStmts(0,
                            [](const StmtP &s) {
                              if (!isRowLoop(s))
                                return s;
                              return changed(s, [](Stmt &f) {
                                std::vector<StmtP> code = f.body[0]->body;
                                auto barrier =
                                    std::find_if(code.begin(), code.end(), [](const StmtP &x) {
                                      return x->kind == StmtKind::Barrier;
                                    });
                                std::iter_swap(barrier, barrier - 1);
                                f.body = {block(code)};
                              });
                            }),
            0u);
  // What all threads know is another row's, begins elsewhere, or is not what the first thread
  // writes.
  ASSERT_EQ(known.findings().size(), 0u);
  EXPECT_GT(
      known.afterExprs(
          0, [](const ExprP &e) { return isNamed(e, "t_known2") ? var("t_known", e->type) : e; }),
      0u);
  EXPECT_GT(known.afterStmts(0,
                             [](const StmtP &s) {
                               return s->kind == StmtKind::Declare && s->name == "t_known"
                                          ? changed(s,
                                                    [](Stmt &d) {
                                                      d.exprs[0] = binary(
                                                          "+", i32(1), d.exprs[0]->args[1], kI32);
                                                    })
                                          : s;
                             }),
            0u);
  EXPECT_GT(known.afterStmts(0,
                             [](const StmtP &s) {
                               return s->kind == StmtKind::Declare && s->name == "t_known"
                                          ? changed(s,
                                                    [](Stmt &d) {
                                                      d.exprs[0] =
                                                          binary("+", d.exprs[0]->args[0],
                                                                 var("nw_reduced2", kI32), kI32);
                                                    })
                                          : s;
                             }),
            0u);
  EXPECT_GT(known.afterStmts(0,
                             [](const StmtP &s) {
                               return isAssignTo(s, "t") && s->exprs[1]->kind == ExprKind::Binary
                                          ? block({s, assign(s->exprs[0], more(s->exprs[0]))})
                                          : s;
                             }),
            0u);
  EXPECT_GT(known.afterStmts(0,
                             [](const StmtP &s) {
                               return isAssignTo(s, "t") && s->exprs[1]->kind == ExprKind::Int
                                          ? assign(s->exprs[0], i32(1))
                                          : s;
                             }),
            0u);
  // It is declared before the reduction is put together.
  EXPECT_GT(known.afterStmts(0,
                             [](const StmtP &s) {
                               if (!isRowLoop(s))
                                 return s;
                               return changed(s, [](Stmt &f) {
                                 std::vector<StmtP> code = f.body[0]->body;
                                 auto declaration =
                                     std::find_if(code.begin(), code.end(), [](const StmtP &x) {
                                       return x->kind == StmtKind::Declare && x->name == "t_known";
                                     });
                                 auto reduction =
                                     std::find_if(code.begin(), code.end(), [](const StmtP &x) {
                                       return x->kind == StmtKind::Reduce;
                                     });
                                 std::rotate(reduction, declaration, declaration + 1);
                                 f.body = {block(code)};
                               });
                             }),
            0u);
  // An instance reads memory after all, where another thread may not have written yet.
  EXPECT_GT(known.afterExprs(0,
                             [](const ExprP &e) {
                               return e->kind == ExprKind::Staged && isNamed(e->args[0], "t_known")
                                          ? e->args[1]
                                          : e;
                             }),
            0u);
}

TEST(Fusion, SumsOfColumnsThatAreLeftOrTakenWronglyAreSeen) {
  for (const Region &region : {separate(), chained(true)}) {
    Fused j(region);
    auto isLeft = [](const StmtP &s) { return s->kind == StmtKind::Leave; };
    auto isTaken = [](const StmtP &s) { return s->kind == StmtKind::Take; };
    auto bend = [&](size_t n, const std::function<void(Stmt &)> &change) {
      return j.afterStmts(
          n, [&](const StmtP &s) { return isLeft(s) || isTaken(s) ? changed(s, change) : s; });
    };
    // The start of the sums.
    auto isStart = [](const StmtP &s) {
      return isAssignTo(s, "nw_sums") && s->exprs[1]->kind == ExprKind::Int;
    };
    EXPECT_GT(j.afterStmts(
                  0, [&](const StmtP &s) { return isStart(s) ? assign(s->exprs[0], i32(1)) : s; }),
              0u);
    EXPECT_GT(j.afterStmts(0, [&](const StmtP &s) { return isStart(s) ? block({}) : s; }), 0u);
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return s->kind == StmtKind::For && isStart(s->body[0])
                                        ? changed(s,
                                                  [](Stmt &f) {
                                                    f.loop.start = intConst(1, f.loop.type);
                                                  })
                                        : s;
                           }),
              0u);
    EXPECT_GT(j.afterStmts(
                  0,
                  [&](const StmtP &s) {
                    return isRowLoop(s)
                               ? changed(s,
                                         [](Stmt &f) {
                                           f.body = {block(
                                               {assign(index(v("nw_sums"), i32(0), kI32), i32(0)),
                                                f.body[0]})};
                                         })
                               : s;
                  }),
              0u);
    // The register of another column.
    EXPECT_GT(
        bend(0, [](Stmt &x) { x.exprs[1] = index(x.exprs[1]->args[0], intConst(0, kI32), kI32); }),
        0u);
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return isAssignTo(s, "nw_sums") && !isStart(s)
                                        ? assign(index(v("nw_sums"), i32(1), kI32), s->exprs[1])
                                        : s;
                           }),
              0u);
    // Where they are left.
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[2] = more(x.exprs[2]); }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[2] = intConst(0); }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[3] = more(x.exprs[3]); }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs.resize(2); }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.collective.axis = 1; }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[0] = v("y"); }), 0u);
    EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[1] = more(x.exprs[1]); }), 0u);
    EXPECT_GT(j.afterStmts(0,
                           [&](const StmtP &s) {
                             return s->kind == StmtKind::If && isLeft(s->body[0]) ? s->body[0] : s;
                           }),
              0u);
    EXPECT_GT(j.afterStmts(0, [&](const StmtP &s) { return isLeft(s) ? block({}) : s; }), 0u);
    EXPECT_GT(j.afterStmts(0, [&](const StmtP &s) { return isLeft(s) ? block({s, s}) : s; }), 0u);
    EXPECT_GT(
        j.afterStmts(0,
                     [&](const StmtP &s) {
                       return isLeft(s)
                                  ? ifElse(binary("<", node(ExprKind::Builtin, {}, kI32, "block.x"),
                                                  i32(2), kI32),
                                           s)
                                  : s;
                     }),
        0u);
    EXPECT_GT(j.afterExprs(0,
                           [](const ExprP &e) {
                             return isNamed(e, "nw_columns") ? binary("-", e, intConst(1), kI64)
                                                             : e;
                           }),
              0u);
    EXPECT_GT(j.after([&](Fused &b) { // before all rows are summed up
      std::vector<StmtP> code = b.kernel(0).body->body;
      std::swap(code[code.size() - 1], code[code.size() - 2]);
      b.kernel(0).body = block(code);
    }),
              0u);
    // How they are taken.
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[2] = more(x.exprs[2]); }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[2] = x.exprs[4]; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[4] = x.exprs[2]; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs.resize(4); }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[3] = i32(1); }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[3] = i32(0); }), 0u);
    EXPECT_GT(bend(1,
                   [](Stmt &x) {
                     x.exprs[3] = binary(
                         "&&", x.exprs[3],
                         binary("<", node(ExprKind::Builtin, {}, kI32, "local.y"), i32(2), kI32),
                         kI32);
                   }),
              0u);
    EXPECT_GT(bend(1,
                   [](Stmt &x) {
                     x.exprs[0] = index(x.exprs[0]->args[0], more(x.exprs[0]->args[1]), kI32);
                   }),
              0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.collective.axis = kOneThread; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.collective.axis = 0; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.collective.axis = kAllThreads; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.collective.op = "*"; }), 0u);
    EXPECT_GT(bend(1, [](Stmt &x) { x.collective.op = "-"; }), 0u);
    EXPECT_GT(
        j.afterExprs(1, [](const ExprP &e) { return isNamed(e, "nw_columns") ? more(e) : e; }), 0u);
    EXPECT_GT(j.afterStmts(1, [&](const StmtP &s) { return isTaken(s) ? block({s, s}) : s; }), 0u);
    EXPECT_GT(j.afterStmts(1,
                           [&](const StmtP &s) {
                             return isTaken(s) ? forLoop("twice", kI32, i32(0),
                                                         less(v("twice"), i32(2)), i32(1), s)
                                               : s;
                           }),
              0u);
    EXPECT_GT(
        j.afterStmts(1,
                     [&](const StmtP &s) {
                       return isTaken(s)
                                  ? ifElse(binary("<", node(ExprKind::Builtin, {}, kI32, "local.y"),
                                                  i32(2), kI32),
                                           s)
                                  : s;
                     }),
        0u);
    EXPECT_GT(j.after([&](Fused &b) { // the same, through a variable
      std::vector<StmtP> code = {
          declare("half", kI32, {}, {node(ExprKind::Builtin, {}, kI32, "local.y")})};
      StmtP bent = rewritten(b.kernel(1).body, [&](const StmtP &s) {
        return isTaken(s) ? ifElse(less(v("half"), i32(2)), s) : s;
      });
      code.insert(code.end(), bent->body.begin(), bent->body.end());
      b.kernel(1).body = block(code);
    }),
              0u);
    EXPECT_GT(j.afterStmts(1, [&](const StmtP &s) { return isTaken(s) ? block({}) : s; }), 0u);
  }
}

// A thread has the sum of one column and names another: each column is left once, and in bounds.
TEST(Fusion, SumsThatAreLeftForOtherColumnsAreSeen) {
  ExprP one = intConst(1, kI64), zero = intConst(0, kI64);
  for (const Region &region : {separate(), chained(true)}) {
    Fused j(region, 2, 33);
    ASSERT_EQ(j.findings().size(), 0u);
    auto leftFor = [&](const std::function<ExprP(const Stmt &)> &column) {
      return j.after([&](Fused &bent) {
        bent.kernel(0).body = rewritten(bent.kernel(0).body, [&](const StmtP &s) {
          return s->kind == StmtKind::Leave ? changed(s, [&](Stmt &x) { x.exprs[2] = column(x); })
                                            : s;
        });
      });
    };
    EXPECT_EQ(leftFor([](const Stmt &s) { return s.exprs[2]; }), 0u);
    EXPECT_GT(leftFor([&](const Stmt &s) {
                return binary("-", binary("-", s.exprs[3], one, kI64), s.exprs[2], kI64);
              }),
              0u);
    EXPECT_GT(leftFor([&](const Stmt &s) { // the first two change places
                return select(binary("==", s.exprs[2], zero, kI32), one,
                              select(binary("==", s.exprs[2], one, kI32), zero, s.exprs[2], kI64),
                              kI64);
              }),
              0u);
  }
}

// t[i] = 0; t[i] = 5; then the sum: what all threads know is the sum with the second start.
TEST(Fusion, AnElementWithTwoStartsIsNotKnown) {
  ExprP t = at("t", {v("i")});
  StmtP rows = add(t, op("*", at("A", {v("i"), v("j")}), at("p", {v("j")}))),
        columns = add(at("y", {v("k")}), op("*", at("A", {v("i"), v("k")}), t));
  std::vector<StmtP> body = {assign(t, i32(0)), assign(t, i32(5)),
                             loop("j", i32(0), v("m"), {rows}),
                             loop("k", i32(0), v("m"), {columns})};
  Region region =
      local(regionOf({loop("i", i32(0), v("n"), body)},
                     {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("k"),
                      pointer("A", kI32, {v("m")}), pointer("t"), pointer("y"), pointer("p")}));
  Fused j(region, 1, 33);
  ASSERT_TRUE(hasForm(j.kernels.host, KernelForm::Fused));
  ASSERT_EQ(j.findings().size(), 0u);
  StmtP &code = j.kernel(0).body;
  // Each start under a condition of its own, which is the same.
  code = rewritten(code, [](const StmtP &s) -> StmtP {
    if (s->kind != StmtKind::Block || s->isInstance())
      return s;
    std::vector<StmtP> all;
    for (const StmtP &b : s->body)
      if (b->kind == StmtKind::If && b->body[0]->kind == StmtKind::Block &&
          b->body[0]->body.size() == 2 && b->body[0]->body[0]->isInstance())
        for (const StmtP &each : b->body[0]->body)
          all.push_back(ifElse(b->exprs[0], each));
      else
        all.push_back(b);
    return block(all);
  });
  ASSERT_EQ(j.findings().size(), 0u);
  StmtP end, start;
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind != StmtKind::Assign || !baseOf(s->exprs[0]) || baseOf(s->exprs[0])->name != "t")
      return;
    if (mentions(s->exprs[1], kReducedName))
      end = s;
    else if (!start)
      start = s;
  });
  ASSERT_TRUE(end && start);
  ExprP element = end->exprs[0];
  StmtP known = declare("t_known", kI32, {}, {rewrite(end->exprs[1], [&](const ExprP &e) {
                          return sameTree(e, element) ? start->exprs[1] : e;
                        })});
  code = rewritten(code, [&](const StmtP &s) -> StmtP {
    if (s->kind == StmtKind::Barrier)
      return known;
    return s->isInstance() && mentions(s, "nw_sums")
               ? rewriteExprs(s,
                              [&](const ExprP &e) {
                                return sameTree(e, element) ? staged(v("t_known"), element) : e;
                              })
               : s;
  });
  EXPECT_GT(j.findings().size(), 0u) << print(code, 0);
}

TEST(Fusion, AThirdKernelCannotTakeTheSums) {
  Fused j(chained(true));
  EXPECT_GT(j.after([](Fused &b) {
    Kernel again = b.kernel(1);
    again.name += "_again";
    b.kernels.kernels.push_back(again);
    HostStep third = b.launch(1);
    third.kernel = int(b.kernels.kernels.size()) - 1;
    b.fused().body.children.push_back(third);
  }),
            0u);
}

TEST(Fusion, LaunchesThatAreBentAreSeen) {
  Fused j(chained(true));
  auto parameter = [&](size_t kernel, const char *name) {
    return j.after([&](Fused &b) {
      for (KernelParameter &q : b.kernel(kernel).parameters)
        if (q.name == name)
          q.value = more(q.value);
    });
  };
  EXPECT_GT(parameter(1, "nw_blocks"), 0u);
  EXPECT_GT(parameter(1, "nw_columns"), 0u);
  EXPECT_GT(parameter(0, "nw_columns"), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.launch(0).limit[0]--; }), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.launch(0).limit[0] = 0; }), 0u);
  EXPECT_GT(j.after([](Fused &b) {
    b.launch(0).threads[0] = binary("+", b.launch(0).threads[0], intConst(32), kI64);
  }),
            0u);
  EXPECT_GT(j.after([](Fused &b) {
    b.launch(0).threads[0] = binary("-", b.launch(0).threads[0], intConst(32), kI64);
  }),
            0u);
  EXPECT_GT(j.after([](Fused &b) {
    b.launch(1).threads[0] = binary("-", b.launch(1).threads[0], intConst(1), kI64);
  }),
            0u);
  EXPECT_GT(j.after([](Fused &b) { b.launch(1).threads[1] = intConst(64); }), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.launch(0).condition = binary("<", i32(9), v("m"), kI32); }),
            0u);
  EXPECT_GT(j.after([](Fused &b) { b.launch(1).condition = binary("<", i32(9), v("m"), kI32); }),
            0u);
  EXPECT_GT(j.after([](Fused &b) { std::swap(b.launch(0), b.launch(1)); }), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.fused().body.children.pop_back(); }), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.fused().body.children.push_back(b.launch(1)); }), 0u);
  EXPECT_GT(j.after([](Fused &b) {
    b.fused().body.children.insert(b.fused().body.children.begin() + 1, b.choice().children[0]);
  }),
            0u);
  EXPECT_GT(j.after([](Fused &b) { b.choice().children[0].children.pop_back(); }), 0u);
  // Taken for sizes for which it is not right.
  EXPECT_GT(j.after([](Fused &b) { b.fused().legalIf = intConst(1, kI32); }), 0u);
  EXPECT_GT(j.after([](Fused &b) { b.fused().legalIf = nullptr; }), 0u);
  EXPECT_GT(j.after([](Fused &b) {
    for (Buffer &x : b.kernels.buffers)
      if (x.array.empty())
        x.high = binary("-", x.high, intConst(1), kI64);
  }),
            0u);
}

TEST(Fusion, ReductionsOfSeveralWarpsShareABarrier) {
  StmtP reduction = reduceStmt("a", kF32, "+", 0), other = reduceStmt("b", kF32, "+", 0);
  StmtP body = block({declare("a", kF32, {}, {floatConst(0, kF32)}),
                      declare("b", kF32, {}, {floatConst(0, kF32)}), reduction, other});
  StmtP steps = withReductionSteps(body, {512, 1, 1}, 32);
  EXPECT_EQ(countOf(steps, StmtKind::Barrier), 1);
  int64_t slots = 0;
  walkStmts(steps,
            [&](const StmtP &s) { slots += s->kind == StmtKind::Shared ? s->extents[0] : 0; });
  EXPECT_EQ(slots, 2 * 2 * 16);
  EXPECT_EQ(
      countOf(withReductionSteps(block({reduction, body}), {512, 1, 1}, 32), StmtKind::Barrier), 2);
}

TEST(Fusion, PlansAreReadAndRefused) {
  Fused l(chained(true));
  std::vector<Plan> again = fromJson(toJson({l.plan}));
  ASSERT_TRUE(again[0].kernels[0].fuse);
  EXPECT_EQ(again[0].kernels[0].fuse->blocks, 3);
  EXPECT_EQ(again[0].kernels[0].fuse->profitableFrom, (std::vector<int>{0, 0}));
  EXPECT_NO_THROW(adopt(l.plan, l.facts, again[0], l.device));
  auto refused = [&](const std::function<void(FusePlan &)> &change) {
    Plan given = again[0];
    change(*given.kernels[0].fuse);
    EXPECT_THROW(adopt(l.plan, l.facts, given, l.device), UserError);
  };
  refused([](FusePlan &j) { j.with = "step7"; });
  refused([](FusePlan &j) { j.block = 48; });
  refused([](FusePlan &j) { j.block = 16; });
  refused([](FusePlan &j) { j.block = 4096; });
  refused([](FusePlan &j) { j.columns = 0; });
  refused([](FusePlan &j) { j.columns = 33; });
  refused([](FusePlan &j) { j.rows = 0; });
  refused([](FusePlan &j) { j.rows = 5; });
  refused([](FusePlan &j) { j.blocks = 0; });
  refused([](FusePlan &j) { j.blocks = 65536; });
  refused([](FusePlan &j) { j.profitableFrom = {1}; });
  refused([](FusePlan &j) { j.profitableFrom = {-1, 1}; });
  Plan other = again[0];
  other.kernels[1].fuse = other.kernels[0].fuse;
  EXPECT_THROW(adopt(l.plan, l.facts, other, l.device), UserError);
  other = again[0];
  other.kernels[0].fuse.reset();
  EXPECT_FALSE(adopt(l.plan, l.facts, other, l.device).kernels[0].fuse);
}

// Of the hostile review: what the host computes for the two kernels.
TEST(FusionReview, MemoryOfPartialResultsIsThereWhereverTheyAreLeft) {
  Fused j(chained(true));
  ASSERT_TRUE(verifyKernels(j.program, j.kernels, j.device).empty());
  Fused bent = j;
  for (Buffer &x : bent.kernels.buffers)
    if (x.array.empty())
      x.touched = binary("&&", x.touched, binary("<", v("n"), i32(1000), kI32), kI32);
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

TEST(FusionReview, MemoryOfPartialResultsIsComputedInWideNumbers) {
  Fused j(chained(true)), bent = j;
  for (Buffer &x : bent.kernels.buffers)
    if (x.array.empty()) {
      x.high = rewrite(x.high, [](const ExprP &e) -> ExprP {
        return e->kind == ExprKind::Cast  ? e->args[0]
               : e->kind == ExprKind::Int ? intConst(e->integer, kI32)
               : e->kind == ExprKind::Var ? e
                                          : node(e->kind, e->args, kI32, e->name);
      });
      std::cerr << print(x.high) << " instead of " << print(j.kernels.buffers.back().high) << "\n";
    }
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

TEST(FusionReview, ThreadsAreComputedInWideNumbers) {
  Fused j(chained(true)), bent = j;
  ExprP &t = bent.launch(0).threads[0];
  t = rewrite(t, [](const ExprP &e) -> ExprP {
    return e->kind == ExprKind::Cast  ? e->args[0]
           : e->kind == ExprKind::Int ? intConst(e->integer, kI32)
           : e->kind == ExprKind::Var ? e
                                      : node(e->kind, e->args, kI32, e->name);
  });
  std::cerr << print(t) << " instead of " << print(j.launch(0).threads[0]) << "\n";
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

TEST(FusionReview, ConditionsAreComputedInWideNumbers) {
  Fused j(chained(true)), bent = j;
  ExprP some =
      binary("&&", binary(">=", v("m"), i32(1), kI32), binary(">=", v("n"), i32(1), kI32), kI32);
  bent.fused().legalIf =
      binary("&&", binary("<=", binary("*", v("m"), i32(4), kI32), i32(256), kI32), some,
             kI32); // 0 for m = 2^30
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

TEST(FusionReview, BuffersHaveElementsOfTheirOwnSize) {
  Fused j(chained(true));
  for (const char *name : {"partial", "A", "t", "y"}) {
    Fused bent = j;
    for (Buffer &x : bent.kernels.buffers)
      if (x.name.starts_with(name))
        x.elementBytes /= 2;
    EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty())
        << name << " has elements of half the size";
    Fused other = j;
    for (Kernel &k : other.kernels.kernels)
      for (KernelParameter &q : k.parameters)
        if (q.buffer >= 0 && q.name.starts_with(name))
          q.type = kI64;
    EXPECT_FALSE(verifyKernels(other.program, other.kernels, other.device).empty())
        << name << " is passed as memory of another type";
    Fused third = j;
    for (Buffer &x : third.kernels.buffers)
      if (x.name.starts_with(name))
        x.element = kI64;
    EXPECT_FALSE(verifyKernels(third.program, third.kernels, third.device).empty())
        << name << " is memory of another type";
  }
}

TEST(FusionReview, ValuesArePassedInTheirOwnType) {
  Fused j(chained(true)), bent = j;
  for (Kernel &k : bent.kernels.kernels)
    for (KernelParameter &q : k.parameters)
      if (q.name == "m")
        q.type = kI64;
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

TEST(FusionReview, ScalarsThatMayChangeAreAskedAbout) {
  Fused j(chained(true)), bent = j;
  ASSERT_FALSE(j.kernels.scalarAlias.empty());
  bent.kernels.scalarAlias.pop_back();
  EXPECT_FALSE(verifyKernels(bent.program, bent.kernels, bent.device).empty());
}

} // namespace nw::testing
