// What each loop of a kernel changes, found before the walk: which values an iteration can start
// from, and whether iterations can be in flight together.
#pragma once
#include "kernel/kernel.h"
#include <set>

namespace nw {

// Iterations that device compilers put side by side where nothing forbids it: four (nvcc's PTX
// shows it), and twice that where an iteration loads one element only, because ptxas unrolls such
// small bodies again (its effect is seen in times: sums of columns on the H200).
constexpr double kUnrolled = 4, kUnrolledSmall = 8;

struct LoopFacts {
  StmtP loop;
  std::set<std::string> assigned;      // variables of the thread
  std::set<std::string> read, written; // arrays
  bool hasGridBarrier = false;
  double unrolled = 1;     // iterations that are put side by side
  bool canOverlap = false; // the innermost of its nest, of constant step, without barriers, reads
                           // nothing that it wrote in another iteration
};

struct KernelFacts {
  bool mayAlias = false; // pointers are not `restrict`: a store may change what any load sees
  std::vector<LoopFacts> loops;

  int numberOf(const StmtP &loop) const; // from 1
  bool hasGridBarrier(int loop) const { return loop > 0 && loops[size_t(loop) - 1].hasGridBarrier; }
  // Whether the first-level cache has nothing of the array left when the loop's next iteration
  // comes to it. A barrier of several blocks empties it; with one block what was stored went
  // through it.
  bool leavesFirstLevel(const std::string &array, int loop, bool hasSeveralBlocks) const {
    return hasGridBarrier(loop) &&
           (hasSeveralBlocks || loops[size_t(loop) - 1].written.count(array) > 0);
  }
  // The innermost of the loops around (numbers, outermost first, 0 for the kernel) whose iterations
  // may see another value in the array: its place in the list.
  int mustReload(const std::string &array, const std::vector<int> &around, bool isShared) const;
};

KernelFacts factsOf(const Kernel &kernel);

} // namespace nw
