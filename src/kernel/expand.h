// From kernels that say what they mean to code that a device runs: a straight list of named passes,
// run last. What a pass leaves can be printed with --emit=kernels@NAME.
#pragma once
#include "kernel/kernel.h"
#include <span>

namespace nw {

// What the passes have to know of the language that is emitted.
struct ExpandTarget {
  int warp = 1;                // threads that can exchange values directly; 1: none can
  bool hasAsyncCopies = false; // copies to shared memory can be under way while a thread goes on
};

struct KernelPass {
  const char *name;
  const char *what; // one line
  StmtP (*run)(const StmtP &body, const Kernel &kernel, const ExpandTarget &target);
};

// In the order in which they run.
std::span<const KernelPass> kernelPasses();

// The body of the kernel after all passes, or after the one of that name.
StmtP expanded(const Kernel &kernel, const ExpandTarget &target, const std::string &last = {});

// The kernel with partial results, registers, copies and loops whose values threads take in turns,
// or from the beginning of a line on, spelled out, for those who follow what threads do: all that
// is not one statement of a thread's but for reductions and barriers.
Kernel spelledOut(const Kernel &kernel);

} // namespace nw
