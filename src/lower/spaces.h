// The memories that a plan gives arrays, as parameters of kernels have them.
#pragma once
#include "kernel/kernel.h"
#include "plan/plan.h"

namespace nw {

// Kernels of the plan have what it says for them. A kernel of several steps takes an array from
// constant memory where all of the region's kernels do, and does not promise anything where one of
// them does not. Buffers of nestwarp's own stay as they are.
void setSpaces(const Program &program, const Plan &plan, Kernels &kernels);

} // namespace nw
