// Two neighbouring steps that reduce over the same elements of an array, one along its rows, the
// other along its columns. Blocks that have whole rows can do both with what they have loaded once:
// the sum of a row is put together by the threads of the block; sums of columns stay with the
// thread that has the column, for all rows of the block, and become a partial result of each block.
#pragma once
#include "plan/block_reduction.h"

namespace nw {

struct FusionParts {
  bool rowsFirst = true; // the first of the two steps is the one that reduces along rows
  BlockReductionParts rows, columns; // of the step along rows, whose parallel loop is the row; of
                                     // that along columns, whose parallel loop is the column
  std::string rowReductionStatement, columnReductionStatement; // the statements that reduce
  std::vector<std::string>
      shared; // arrays of which both read the same element for the same row and column
  bool flows =
      false; // the reduction along columns reads what the step along rows leaves, of the same row
};

// What fusion needs to know, or in `why` the reason against it.
std::optional<FusionParts> fusionParts(const Program &program, const Step &first,
                                       const Step &second, std::string &why);

// Adds to the plan of the first of two steps that they are fused, where that is likely to pay on
// the device.
void proposeFusion(const Program &program, const FusionParts &parts, const DeviceSpec &device,
                   KernelPlan &one, const KernelPlan &other);

// What is wrong with it in a given plan whose values are in their ranges, or nothing.
std::string wrongFusion(const KernelPlan &given, const StepFacts &facts, const DeviceSpec &device);

} // namespace nw
