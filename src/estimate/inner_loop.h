// The loop in which a kernel executes most of its instructions: its mix by the kernel's tree and,
// where the compiler was asked, by its PTX. The two texts are brought together by what neither
// changes: loads, stores and operations on numbers, of which an unrolled body has a multiple. Where
// no body of the PTX is such a multiple, the tree's mix stays.
#pragma once
#include "estimate/kernel_walk.h"
#include <optional>

namespace nw {

struct InnerLoop {
  std::string counter;
  size_t stage = 0;                       // of the walk
  double iterations = 0;                  // of warps, in the launch
  InstructionMix tree;                    // of one iteration
  std::optional<InstructionMix> compiler; // the same, from PTX
  double unrolled = 1;                    // iterations in a body of the PTX
};

// Nothing for kernels without loops. `bodies` are those of the kernel's PTX, or none.
std::optional<InnerLoop> innerLoopOf(const KernelWalk &walk,
                                     const std::vector<InstructionMix> &bodies);
// Puts the compiler's instructions in place of the tree's.
void takeCompilersMix(KernelWalk &walk, const InnerLoop &loop);

} // namespace nw
