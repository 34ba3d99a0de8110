// The kernel of a parallel step whose folds the threads of a block share out among them
// (plan/spread.h).
#pragma once
#include "lower/instances.h"
#include "plan/spread.h"

namespace nw {

struct SpreadKernel {
  StmtP body;
  std::array<int, 3> block;
  std::array<ExprP, 3> threads; // of the launch
  std::array<int, 3> limit = {0, 0, 0};
  ExprP condition; // whether there is anything to do; may be null
  std::string summary;
};

struct SpreadCode {
  SpreadKernel fold;
  std::optional<SpreadKernel>
      gather; // where several blocks share a fold: takes their partial results, one after the other
  std::vector<Type> partials; // those results: a row of columns for each block; buffers of the
                              // names that were asked for
  ExprP partialElements;
  std::map<std::string, ExprP> hostValues; // what the kernels get as arguments
  ExprP isLong;                            // whether the loop of the folds has enough values for it
};

// `declarations` are those of the step's private variables; the view is that of the step's
// statements. `partialName` names the buffer of partial results number k.
SpreadCode spreadCode(InstanceContext &context, const Step &step, const BlockReductionPlan &plan,
                      const View &view, const std::vector<StmtP> &declarations,
                      const std::function<std::string(size_t)> &partialName);

} // namespace nw
