// What each loop of a kernel changes, found before the walk: which values an iteration can start from, and whether
// iterations can be in flight together.
#pragma once
#include "kernel/kernel.h"
#include <set>

namespace nw {

constexpr double kUnrolled = 4; // iterations that device compilers put side by side where nothing forbids it

struct LoopFacts {
  StmtP loop;
  std::set<std::string> assigned;     // variables of the thread
  std::set<std::string> read, written; // arrays
  bool hasGridBarrier = false;
  bool canOverlap = false; // the innermost of its nest, of constant step, without barriers, reads nothing that it writes
};

struct KernelFacts {
  bool mayAlias = false; // pointers are not `restrict`: a store may change what any load sees
  std::vector<LoopFacts> loops;

  int numberOf(const StmtP &loop) const; // from 1
  bool hasGridBarrier(int loop) const { return loop > 0 && loops[size_t(loop) - 1].hasGridBarrier; }
  // The innermost of the loops around (numbers, outermost first, 0 for the kernel) whose iterations may see another value
  // in the array: its place in the list.
  int mustReload(const std::string &array, const std::vector<int> &around, bool isShared) const;
};

KernelFacts factsOf(const Kernel &kernel);

} // namespace nw
