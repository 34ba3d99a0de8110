// Frames: the border of a step whose inside is computed in windows, as a kernel of its own. Both
// together do what the plain launch does, for all sizes, and the verifier sees when they do not.
#include "build.h"
#include "choices.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "verify/interpreter/interpreter.h"
#include "verify/verify.h"
#include <algorithm>

namespace nw::testing {

namespace {

// for i, j: c[i][j] = sum of a[i + u - 1][j + v - 1] for u, v from 0 to 2 inside the array
Region blur() {
  ExprP n = v("n"), i = v("i"), j = v("j"), row = op("+", i, v("u")), column = op("+", j, v("w"));
  StmtP zero = assign(at("c", {i, j}), i32(0));
  StmtP add = assign(at("c", {i, j}), op("+", at("c", {i, j}),
                                         at("a", {op("-", row, i32(1)), op("-", column, i32(1))})));
  auto both = [](const ExprP &a, const ExprP &b) { return binary("&&", a, b, kI32); };
  ExprP inside = both(both(binary(">=", row, i32(1), kI32), binary("<=", row, n, kI32)),
                      both(binary(">=", column, i32(1), kI32), binary("<=", column, n, kI32)));
  Region r =
      regionOf({loop("i", i32(0), n,
                     {loop("j", i32(0), n,
                           {zero, loop("u", i32(0), i32(3),
                                       {loop("w", i32(0), i32(3), {ifElse(inside, add)})})})})},
               {scalar("n"), scalar("i"), scalar("j"), scalar("u"), scalar("w"),
                pointer("a", kI32, {cast(n, kI64)}), pointer("c", kI32, {cast(n, kI64)})});
  for (const char *name : {"i", "j", "u", "w"})
    r.variables[name].storage = Storage::Local;
  return r;
}

struct WithBoundary {
  WithBoundary() : program(buildProgram(blur())), device(*findDevice("h200")) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, device);
    KernelPlan &k = plan.kernels.at(0);
    k.tiles.clear();
    k.threadTile = {4, 2};
    k.vectorBytes = 16;
    k.windowTile = {1, 4};
    k.vectorsProfitableFrom = k.windowsProfitableFrom = 1;
    k.boundaryKernel = true;
    kernels = lower(program, d, s, plan, device);
  }

  Kernel *kernel(const std::string &end) {
    auto found = std::find_if(kernels.kernels.begin(), kernels.kernels.end(),
                              [&](const Kernel &k) { return k.name.ends_with(end); });
    return found == kernels.kernels.end() ? nullptr : &*found;
  }

  std::string found() const {
    std::set<std::string> names;
    for (const Finding &f : verifyKernels(program, kernels, device))
      names.insert(f.check);
    std::string all;
    for (const std::string &name : names)
      all += name + " ";
    return all;
  }

  // Findings after the change of one kernel's expressions, which must have met something.
  std::string bent(const std::string &end,
                   const std::function<ExprP(const ExprP &)> &change) const {
    WithBoundary copy = *this;
    int many = 0;
    Kernel &k = *copy.kernel(end);
    k.body = rewriteExprs(k.body, [&](const ExprP &e) {
      ExprP made = change(e);
      many += made != e;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy.found();
  }

  Program program;
  DeviceSpec device;
  Kernels kernels;
};

} // namespace

TEST(BoundaryKernels, TheInsideAndTheBorderAreAcceptedAndRight) {
  WithBoundary withBoundary;
  ASSERT_TRUE(withBoundary.kernel("_wide_boundary") && withBoundary.kernel("_windows_boundary"));
  EXPECT_EQ(withBoundary.found(), "");
  for (KernelForm form : {KernelForm::WideWindows, KernelForm::Windows}) {
    RunLimits limits;
    limits.selection = {{form}};
    limits.steps = 20000000;
    for (int n : {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 16, 23}) {
      SampleInput input;
      input.scalars = {{"n", n}};
      RunResult original = runOriginal(withBoundary.program.region, input, limits),
                kernels = runKernels(withBoundary.program, withBoundary.kernels, input, limits);
      EXPECT_TRUE(kernels.findings.empty()) << n;
      EXPECT_TRUE(compareRuns(withBoundary.program.region, original, kernels).empty()) << n;
    }
  }
}

TEST(BoundaryKernels, TheInsideHasNoOtherCodeThanWindows) {
  WithBoundary withBoundary;
  int branches = 0; // besides the question whether the tile is there at all
  walkStmts(withBoundary.kernel("_wide")->body,
            [&](const StmtP &s) { branches += s->kind == StmtKind::If && s->body.size() > 1; });
  EXPECT_EQ(branches, 0);
}

TEST(BoundaryKernels, WhatTheBorderLeavesOutOrDoesTwiceIsSeen) {
  WithBoundary withBoundary;
  auto isBorder = [](const ExprP &e, const std::string &name) {
    return e->kind == ExprKind::Binary && e->name == "<" && e->args[0]->kind == ExprKind::Var &&
           e->args[0]->name == name;
  };
  for (const char *name : {"nw_i_border", "nw_j_border"}) {
    // one value fewer, one more; the step from before the inside to behind it at another position
    EXPECT_NE(withBoundary.bent("_wide_boundary",
                                [&](const ExprP &e) {
                                  return isBorder(e, name) && e->args[1]->kind != ExprKind::Int
                                             ? binary("<", e->args[0], op("-", e->args[1], i32(1)),
                                                      kI32)
                                             : e;
                                }),
              "")
        << name;
    EXPECT_NE(withBoundary.bent("_wide_boundary",
                                [&](const ExprP &e) {
                                  return isBorder(e, name) && e->args[1]->kind != ExprKind::Int
                                             ? binary("<=", e->args[0], e->args[1], kI32)
                                             : e;
                                }),
              "")
        << name;
    EXPECT_NE(withBoundary.bent("_wide_boundary",
                                [&](const ExprP &e) {
                                  return isBorder(e, name) && e->args[1]->kind == ExprKind::Int
                                             ? binary("<=", e->args[0], e->args[1], kI32)
                                             : e;
                                }),
              "")
        << name;
  }
}

TEST(BoundaryKernels, TheInsideIsOnlyLaunchedWhereThereIsOne) {
  WithBoundary withBoundary;
  HostAlternative *wide = alternativeOf(withBoundary.kernels.host, KernelForm::WideWindows);
  ASSERT_TRUE(wide && wide->legalIf);
  wide->legalIf = nullptr;
  EXPECT_NE(withBoundary.found(), "");
}

} // namespace nw::testing
