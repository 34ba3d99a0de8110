// Forms of a step: kernels that do the same, of which sizes and memory decide which one is
// launched; and what tiles make of loops and arrays.
#pragma once
#include "estimate/region_estimate.h"
#include "plan/facts.h"

namespace nw {

struct ExplainedForm {
  std::string kernel, when; // in words
  bool isTaken = false;     // at the sizes that are explained
};

// The steps of the plan whose statements a kernel executes.
std::vector<const KernelPlan *> stepsOf(const RegionPlan &plan, const Kernel &kernel);

// Of a kernel of tiles: the plan's decision about them. Null: it is none.
const TilePlan *tileOf(const RegionPlan &plan, const Kernel &kernel);
// The form in which its threads share reductions, if they do.
const BlockReductionPlan *blockReductionOf(const RegionPlan &plan, const Kernel &kernel);
// The counter of the loop that goes from strip to strip, or empty.
std::string stripCounter(const Kernel &kernel, const TilePlan &tile);

// The forms of the kernel's step, in the order in which the host asks for them; empty where there
// is one only.
std::vector<ExplainedForm> formsOf(const RegionPlan &plan, const Kernels &kernels, int kernel,
                                   const EstimatedRegion &estimated);

// A variable in shared memory that holds a part of an array.
struct StagedCopy {
  std::string variable, array;
  std::vector<int64_t> extents; // of the variable, with padding
  int line = 0;                 // where the source reads the array
};
std::vector<StagedCopy> copiesOf(const Kernel &kernel);

} // namespace nw
