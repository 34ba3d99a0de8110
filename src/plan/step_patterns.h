// How the threads of each kernel of a plan touch the arrays: the classes of *patterns*
// (analysis/access_pattern.h) over the dimensions of the schedule and the plan's grid, so that
// fused, skewed and reversed loops have patterns too.
#pragma once
#include "plan/patterns_policy.h"
#include "plan/plan.h"

namespace nw {

struct KernelPatterns {
  std::string kernel; // its name in the plan
  std::vector<ArrayPatterns> arrays;
};

// Of one step. `grid`: names of its parallel dimensions, the one along neighbouring threads first;
// those after the third are taken for loops inside a thread. Columns are the step's axes, and M is
// for one iteration: a loop in steps of 2 has even entries. Loops around the step are the same for
// all threads of a launch, and are intra-thread columns.
std::vector<ArrayPatterns> stepPatterns(const Program &program, const Step &step,
                                        const std::vector<Dimension> &outer,
                                        const std::vector<std::string> &grid);

// Of all kernels of the plan, in its order.
std::vector<KernelPatterns> kernelPatterns(const Program &program, const Schedule &schedule,
                                           const Plan &plan);

// The steps that become kernels, in the order of the plan, with the loops around them.
struct PlannedStep {
  const Step *step;
  std::vector<Dimension> outer;
};
std::vector<PlannedStep> plannedSteps(const Step &root);

} // namespace nw
