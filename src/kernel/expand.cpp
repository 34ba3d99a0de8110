// The passes over kernels.
#include "kernel/expand.h"
#include "kernel/async.h"
#include "kernel/box_copy.h"
#include "kernel/cyclic_loop.h"
#include "kernel/emitted.h"
#include "kernel/keep.h"
#include "kernel/line_loop.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"

namespace nw {

static StmtP withCells(const StmtP &body, const Kernel &kernel, const ExpandTarget &) {
  Kernel whole = kernel;
  whole.body = body;
  return withoutPartialResults(whole).body;
}

static StmtP withRegisters(const StmtP &body, const Kernel &kernel, const ExpandTarget &) {
  Kernel whole = kernel;
  whole.body = body;
  return withKeptRegisters(whole).body;
}

static StmtP withPlainCopies(const StmtP &body, const Kernel &, const ExpandTarget &) {
  return withoutCopies(body);
}

static StmtP withTurns(const StmtP &body, const Kernel &, const ExpandTarget &) {
  return withoutCyclicLoops(body);
}

static StmtP withLines(const StmtP &body, const Kernel &, const ExpandTarget &) {
  return withFirstTurns(body);
}

static StmtP withoutRemarks(const StmtP &body, const Kernel &, const ExpandTarget &) {
  return asEmitted(body);
}

static StmtP withSteps(const StmtP &body, const Kernel &kernel, const ExpandTarget &target) {
  return withReductionSteps(body, kernel.block, target.warp);
}

static StmtP withAsyncWaits(const StmtP &body, const Kernel &, const ExpandTarget &target) {
  return target.hasAsyncCopies && hasAsync(body) ? withWaits(body) : body;
}

static constexpr KernelPass kPasses[] = {
    {"partials", "results that blocks hand to the next launch are elements of a buffer", withCells},
    {"keep", "elements that loops update are in registers meanwhile", withRegisters},
    {"copies", "copies of boxes become loops over what a thread takes", withPlainCopies},
    {"turns", "values that threads take in turns become loops over those of a thread", withTurns},
    {"lines", "loops from the beginning of a line on have a first turn that asks", withLines},
    {"staged", "what is staged is read where it is, speculated code runs unasked", withoutRemarks},
    {"reductions", "reductions of a block become exchanges, or steps in shared memory", withSteps},
    {"waits", "barriers wait for the thread's own copies", withAsyncWaits},
};

std::span<const KernelPass> kernelPasses() { return kPasses; }

StmtP expanded(const Kernel &kernel, const ExpandTarget &target, const std::string &last) {
  StmtP body = kernel.body;
  for (const KernelPass &pass : kPasses) {
    body = pass.run(body, kernel, target);
    if (last == pass.name)
      break;
  }
  return body;
}

Kernel spelledOut(const Kernel &kernel) {
  Kernel plain = withoutCopies(withKeptRegisters(withoutPartialResults(kernel)));
  plain.body = withFirstTurns(withoutCyclicLoops(plain.body));
  return plain;
}

} // namespace nw
