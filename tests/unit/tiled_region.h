// Kernels of a region with the tiles of a plan, and ways to bend them.
#pragma once
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/kernel_checks.h"
#include "verify/interpreter/interpreter.h"
#include "verify/verify.h"

namespace nw::testing {

struct TiledRegion {
  TiledRegion(const Region &region, const TilePlan &tile)
      : program(buildProgram(region)), device(*findDevice("h200")) {
    Dependences d = computeDependences(program);
    s = schedule(program, d, true);
    Plan plan = propose(program, s, device);
    plan.kernels[0].tiles = {tile};
    plan.kernels[0].blockReductions.clear();
    kernels = lower(program, d, s, plan, device);
  }

  Kernel &tiles() { return kernels.kernels.at(0); }

  size_t findings() const { return provedFindings(program, kernels).size(); }

  // Findings after a change of the tile kernel alone; the change must have met something.
  size_t bent(const Change &change) const {
    TiledRegion copy = *this;
    int many = 0;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      StmtP made = change(s);
      many += made != s;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy.findings();
  }
  size_t bentExprs(const std::function<ExprP(const ExprP &)> &change) const {
    TiledRegion copy = *this;
    int many = 0;
    copy.tiles().body = rewriteExprs(copy.tiles().body, [&](const ExprP &e) {
      ExprP made = change(e);
      many += made != e;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy.findings();
  }

  // The original and the kernels compute the same, for these values of the scalars.
  void expectSame(const std::vector<std::map<std::string, int64_t>> &sizes) const {
    RunLimits limits;
    limits.steps = 20000000;
    limits.selection = selection;
    for (const std::map<std::string, int64_t> &scalars : sizes) {
      SampleInput input;
      input.scalars = scalars;
      RunResult original = runOriginal(program.region, input, limits),
                made = runKernels(program, kernels, input, limits);
      EXPECT_TRUE(made.findings.empty()) << ::testing::PrintToString(scalars);
      EXPECT_TRUE(compareRuns(program.region, original, made).empty())
          << ::testing::PrintToString(scalars);
    }
  }

  Program program;
  DeviceSpec device;
  Schedule s;
  Kernels kernels;
  FormSelection selection = {{KernelForm::Tiles}};
};

inline bool writes(const StmtP &s, const std::string &name) {
  return (s->kind == StmtKind::Assign || s->kind == StmtKind::Copy) && baseOf(s->exprs[0]) &&
         baseOf(s->exprs[0])->name == name;
}

// A copy that moves something else.
inline StmtP moving(const StmtP &s, const ExprP &to, const ExprP &from) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->exprs[0] = to;
  copy->exprs[1] = from;
  return copy;
}

} // namespace nw::testing
