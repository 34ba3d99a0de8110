// Which reductions of a parallel step the threads of a block can share out among them, and whether
// they should.
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"

namespace nw {

// What one value of the parallel loop does, piece by piece: statements that one thread executes, or
// reductions over a loop that threads share out.
struct BlockReductionPiece {
  bool isReduction = false;
  std::vector<std::string> statements;
};

struct BlockReductionParts {
  Dimension loop; // of the reductions
  std::vector<BlockReductionPiece> pieces;
};

// The pieces, or in `why` the reason that there are none.
std::optional<BlockReductionParts> blockReductionParts(const Program &program, const Step &step,
                                                       std::string &why);

// The statements that reduce, all pieces together.
std::vector<std::string> reductionsOf(const BlockReductionParts &parts);
// The threads that should share the reductions: along x, where neighbouring values of the loop are
// neighbours in memory; else along y.
ThreadAxis blockReductionAxis(const Program &program, const Step &step,
                              const BlockReductionParts &parts);

struct StepFacts;

// Adds to the plan of a parallel step that its reductions are shared by the block, where that is
// likely to pay on the device.
void proposeBlockReduction(const Program &program, const Step &step, const StepFacts &facts,
                           const DeviceSpec &device, KernelPlan &kernel);

// What is wrong with it in a given plan whose values are in their ranges, or nothing.
std::string wrongBlockReduction(const KernelPlan &given, const StepFacts &facts,
                                const DeviceSpec &device);

// The largest power of two that is not above the number, or 1.
int powerBelow(int x);

} // namespace nw
