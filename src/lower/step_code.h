// Code of a step's instances, as launches and resident kernels both have it.
#pragma once
#include "lower/boxes.h"
#include "lower/instances.h"
#include "plan/plan.h"

namespace nw {

// The thread's own coordinate, or how many there are: thread.x, threads.y, …
ExprP coordinate(const char *name, const Type &type);

// The product in 64 bits, without a one.
ExprP product(const ExprP &a, const ExprP &b);

// Numbers of the step's parallel dimensions in the order of the plan's grid: x first.
std::vector<size_t> gridOrder(const Step &step, const KernelPlan &plan);

// The loop over all values of a dimension, with `inside` in its place.
StmtP valueLoop(const InstanceContext &context, const Dimension &dimension, const View &view,
                const StmtP &inside);

// The view from inside of that loop of a step.
View inLoop(const Step &step, const View &view);

// Declarations of the step's private variables.
std::vector<StmtP> privateDeclarations(const InstanceContext &context, const Step &step);

// The code of one thread of a parallel step, inside loops or guards that fix the parallel
// dimensions.
StmtP threadCode(const InstanceContext &context, const Step &step, View view);

// Several dimensions as one number, nw_instance.
struct LinearInstances {
  std::vector<StmtP> dimensions; // declarations that take the number apart
  ExprP total;                   // how many numbers there are
};

// A bound as the kernel has it: the expression, or a value that the host computes.
using KernelBound = std::function<ExprP(const std::string &name, const ExprP &bound)>;
inline ExprP inKernel(const std::string &, const ExprP &bound) { return bound; }

// The dimensions order[first], order[first + 1], …, of which the first one's neighbours are
// neighbours.
LinearInstances linearInstancesOf(const InstanceContext &context, const Step &step,
                                  const std::vector<size_t> &order, size_t first, const Box &box,
                                  const KernelBound &bound);

// Threads along y share the instances among them.
StmtP instancesLoop(const LinearInstances &linear, const ExprP &total, const StmtP &inside);

// The code of instance number nw_instance of a reduction; `total` becomes how many there are.
StmtP numberedInstance(InstanceContext &context, const Step &step, const View &view,
                       const KernelPlan &plan, const Box &box, const KernelBound &bound,
                       ExprP &total);

// The reduction with its place in terms of the loops around it, which are dimensions of the
// schedule by now.
Reduction reductionOf(const InstanceContext &context, const Step &step);

} // namespace nw
