// Which reductions of a parallel step the threads of a block can share out among them, and whether
// they should.
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"

namespace nw {

// What one value of the parallel loops does, piece by piece: statements that one thread executes,
// or a loop that threads share out.
struct BlockReductionPiece {
  bool isLoop = false;
  std::vector<std::string> statements;
  bool waits = false; // for what other threads have left or read: a barrier comes before it
};

struct BlockReductionParts {
  Dimension loop;                // that threads share out
  std::vector<Dimension> others; // loops that each thread runs for a value of that one
  int benefit = 0;     // accesses that are coalesced along that loop, less those that jump,
  int gridBenefit = 0; // and along the best of the parallel ones
  std::vector<BlockReductionPiece> pieces;
  std::set<std::string> reductions; // of the statements in loops, those whose threads reduce
  bool inPhases = false;            // pieces take what other threads have left, see plan/phases.h
  std::set<std::string> shared;     // private variables that all threads of a row use
  int64_t sharedBytes = 0;          // of those variables,
  int64_t reducedBytes = 0;         // and of what a thread hands to others where they reduce
};

// The pieces, or in `why` the reason that there are none.
std::optional<BlockReductionParts> blockReductionParts(const Program &program, const Step &step,
                                                       std::string &why);

// The statements in loops that threads share out, all pieces together.
std::vector<std::string> loopStatementsOf(const BlockReductionParts &parts);
// The threads that should share the reductions: along x, where neighbouring values of the loop are
// neighbours in memory; else along y.
ThreadAxis blockReductionAxis(const BlockReductionParts &parts);
// The parallel loop, by number, of which a block has several values: the innermost, or the one
// whose neighbouring values are neighbours in memory where threads along y share the reductions.
// Of each of the others, a block has one value.
size_t rowsOfBlock(const Program &program, const Step &step, const BlockReductionParts &parts,
                   ThreadAxis axis);

struct StepFacts;

// Adds to the plan of a parallel step the forms in which its reductions are shared by the block,
// where that is likely to pay on the device.
void proposeBlockReduction(const Program &program, const Step &step, const StepFacts &facts,
                           const DeviceSpec &device, KernelPlan &kernel);

// What is wrong with them in a given plan whose values are in their ranges, or nothing.
std::string wrongBlockReductions(const KernelPlan &given, const StepFacts &facts,
                                 const DeviceSpec &device);

// Why the statement's reduction is none that threads could share out for each value of the parallel
// loops; or nothing.
std::string unfitReduction(const Program &program, const Step &step, const Statement &statement);

// The largest power of two that is not above the number, or 1.
int powerBelow(int x);

} // namespace nw
