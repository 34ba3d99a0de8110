// The kernels of two steps that reduce over one array (plan/fusion.h): blocks that have whole rows,
// and a second kernel that takes the sums of columns that they leave.
#pragma once
#include "lower/block_reduction.h"
#include "plan/fusion.h"

namespace nw {

struct FusedCode {
  BlockReductionKernel rows, gather;
  Type partial;       // of each result that a block leaves
  ExprP columns;      // how many of them
  ExprP legalIf;      // sizes for which the kernels are right
  ExprP profitableIf; // sizes for which they are fast; may be null
};

// `view` is that of both steps' statements; `declarations` are those of their private variables,
// `partialName` the buffer of partial results. Nothing where the code of instances does not come as
// one assignment for each row and column.
std::optional<FusedCode> fusedCode(InstanceContext &context, const Step &first, const Step &second,
                                   const FusePlan &plan, const View &view, const DeviceSpec &device,
                                   const std::array<std::vector<StmtP>, 2> &declarations,
                                   const std::string &partialName);

} // namespace nw
