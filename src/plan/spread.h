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
// The threads that should share the folds: 0 along x, where neighbouring values of the loop are
// neighbours in memory; else 1.
int spreadAxis(const Program &program, const Step &step, const SpreadParts &parts);

// Adds to the plan of a parallel step that its folds are spread, where that is likely to pay on the
// device.
void proposeSpread(const Program &program, const Step &step, const DeviceSpec &device,
                   KernelPlan &kernel);

// What is wrong with it in a given plan, or nothing. `proposed` is the plan of the same step from
// the planner.
std::string wrongSpread(const KernelPlan &given, const KernelPlan &proposed);

// The largest power of two that is not above the number, or 1.
int powerBelow(int x);

} // namespace nw
