// The kernel of a parallel step whose reductions the threads of a block share out among them
// (plan/block_reduction.h).
#pragma once
#include "lower/boxes.h"
#include "lower/instances.h"
#include "plan/block_reduction.h"

namespace nw {

struct BlockReductionKernel {
  StmtP body;
  std::array<int, 3> block;
  std::array<ExprP, 3> threads; // of the launch
  std::array<int, 3> limit = {0, 0, 0};
  ExprP condition; // whether there is anything to do; may be null
  std::string summary;
  bool hasInnerLoops = false; // a thread runs loops of its own for a value of the shared one
};

struct BlockReductionCode {
  BlockReductionKernel reduce;
  std::optional<BlockReductionKernel> gather; // where several blocks share a reduction: takes their
                                              // partial results, one after the other
  std::vector<Type> partials; // those results; buffers of the names that were asked for
  ExprP columns;              // how many results of each a block leaves
  std::map<std::string, ExprP> hostValues; // what the kernels get as arguments
  ExprP legalIf;                           // sizes for which it can be launched; null: all
  ExprP profitableIf;                      // sizes for which it is worthwhile
};

// `gridLimit`: blocks along z at most; `box`: of the parallel loops. `declarations` are those of
// the step's private variables; the view is that of the step's statements. `partialName` names the
// buffer of partial results number k.
BlockReductionCode blockReductionCode(InstanceContext &context, const Step &step,
                                      const BlockReductionPlan &plan, int64_t gridLimit,
                                      const Box &box, const View &view,
                                      const std::vector<StmtP> &declarations,
                                      const std::function<std::string(size_t)> &partialName);

} // namespace nw
