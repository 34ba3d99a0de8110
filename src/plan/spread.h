// Which folds of a parallel step the threads of a block can share out among them, and whether they
// should.
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"

namespace nw {

// What one value of the parallel loop does, piece by piece: statements that one thread executes, or
// folds over a loop that threads share out.
struct SpreadPiece {
  bool isFold = false;
  std::vector<std::string> statements;
};

struct SpreadParts {
  Dimension loop; // of the folds
  std::vector<SpreadPiece> pieces;
};

// The pieces, or in `why` the reason that there are none.
std::optional<SpreadParts> spreadParts(const Program &program, const Step &step, std::string &why);

// The statements that fold, all pieces together.
std::vector<std::string> foldsOf(const SpreadParts &parts);
// The threads that should share the folds: along x, where neighbouring values of the loop are
// neighbours in memory; else along y.
ThreadAxis spreadAxis(const Program &program, const Step &step, const SpreadParts &parts);

struct StepFacts;

// Adds to the plan of a parallel step that its folds are spread, where that is likely to pay on the
// device.
void proposeSpread(const Program &program, const Step &step, const StepFacts &facts,
                   const DeviceSpec &device, KernelPlan &kernel);

// What is wrong with it in a given plan whose values are in their ranges, or nothing.
std::string wrongSpread(const KernelPlan &given, const StepFacts &facts, const DeviceSpec &device);

// The largest power of two that is not above the number, or 1.
int powerBelow(int x);

} // namespace nw
