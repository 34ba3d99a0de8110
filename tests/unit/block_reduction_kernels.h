// Kernels of reductions that threads share out, and ways to bend them.
#pragma once
#include "build.h"
#include "frontend/affine/build_program.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/lower.h"
#include "plan/block_reduction.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/kernel_checks.h"

namespace nw::testing {

inline StmtP changed(const StmtP &s, const std::function<void(Stmt &)> &change) {
  auto copy = std::make_shared<Stmt>(*s);
  change(*copy);
  return copy;
}

inline Region local(Region r) {
  for (const char *name : {"i", "j"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// for i { y[i] = 0; for j: y[i] = y[i] op A[..] * x[j]; y[i] = y[i] + 1 }, where A is A[i][j] or
// A[j][i].
inline Region product(const char *op_, bool isTransposed) {
  ExprP a = isTransposed ? at("A", {v("j"), v("i")}) : at("A", {v("i"), v("j")}),
        y = at("y", {v("i")});
  StmtP before = assign(y, i32(0)),
        reduction = assign(y, op(op_, y, op("*", a, at("x", {v("j")})))),
        after = assign(y, op("+", y, i32(1)));
  return local(
      regionOf({loop("i", i32(0), v("n"), {before, loop("j", i32(0), v("m"), {reduction}), after})},
               {scalar("n"), scalar("m"), scalar("i"), scalar("j"),
                pointer("A", kI32, {isTransposed ? v("n") : v("m")}), pointer("x"), pointer("y")}));
}

struct Lowered {
  // Reductions of one block, unless they may be split over several; in the form of that number, or
  // in all phases' forms that are proposed, of others in the last, which has a warp for each row.
  explicit Lowered(const Region &r, const DeviceSpec &given = commonDevice(),
                   const PlanOptions &options = {}, bool isSplit = false,
                   std::optional<size_t> form = std::nullopt)
      : device(given), program(privatize(buildProgram(r))) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    facts = factsOf(program, s, device);
    plan = propose(program, s, facts, device, options);
    for (size_t n = 0; n < plan.kernels.size(); n++) {
      KernelPlan &k = plan.kernels[n];
      if (!form && facts[n].reduction && !facts[n].reduction->inPhases &&
          k.blockReductions.size() > 1)
        k.blockReductions = {k.blockReductions.back()};
      for (BlockReductionPlan &b : k.blockReductions)
        if (isSplit)
          b.block = {b.block[0], 8, 16};
      if (form && !k.blockReductions.empty())
        k.blockReductions = {k.blockReductions.at(*form)};
    }
    kernels = lower(program, d, s, plan, device);
  }

  const Kernel *blockReduction() const {
    for (const Kernel &k : kernels.kernels)
      if (hasReductions(k.body))
        return &k;
    return nullptr;
  }
  // Findings of the checks that hold for all sizes, after a change of the kernels that reduce.
  size_t bent(const Change &change, const std::string &check = "") {
    Kernels before = kernels;
    int many = 0;
    for (Kernel &k : kernels.kernels)
      if (hasReductions(k.body))
        k.body = rewritten(k.body, [&](const StmtP &s) {
          StmtP made = change(s);
          many += made != s;
          return made;
        });
    EXPECT_GT(many, 0);
    size_t found = findings(check);
    kernels = before;
    return found;
  }
  size_t findings(const std::string &check = "") const {
    std::vector<Finding> all = provedFindings(program, kernels);
    return size_t(std::count_if(all.begin(), all.end(), [&](const Finding &f) {
      return check.empty() || f.check == check;
    }));
  }

  DeviceSpec device;
  Program program;
  RegionFacts facts;
  Plan plan;
  Kernels kernels;
};

inline bool isReduction(const StmtP &s) { return s->kind == StmtKind::Reduce; }
inline bool isSharedLoop(const StmtP &s) {
  return s->kind == StmtKind::For && s->loop.counter == "j";
}
inline bool takesResult(const StmtP &s) {
  return s->kind == StmtKind::Assign && s->exprs[0]->kind != ExprKind::Var &&
         mentions(s->exprs[1], "nw_reduced");
}
inline bool guardsResult(const StmtP &s) {
  return s->kind == StmtKind::If &&
         ((s->body[0]->kind == StmtKind::Assign && takesResult(s->body[0])) ||
          s->body[0]->kind == StmtKind::Leave);
}

} // namespace nw::testing
