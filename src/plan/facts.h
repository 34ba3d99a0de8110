// What a region's steps are and what their plans could have: facts, no choices. The planner
// proposes from them, `adopt` holds given plans against them, and the tuner and the fuzzer ask them
// what is possible.
#pragma once
#include "plan/fusion.h"
#include "plan/row_strips.h"

namespace nw {

// One array that a step touches.
struct ArrayFacts {
  std::string name;
  bool isWritten = false;         // by the step
  bool isWrittenInRegion = false; // by any step of the region
  std::optional<int64_t> bytes;   // where they are the same for all sizes
};

struct StepFacts {
  StepKind kind = StepKind::Parallel; // Parallel, Reduction or Serial
  std::vector<std::string> statements;
  std::vector<std::string> grid; // parallel dimensions, the one that coalesces best first
  int score = 0;                 // of accesses that are coalesced along that one
  bool isInLoop = false;         // inside a sequential loop of the host
  std::optional<BlockReductionParts> reduction; // that threads of a block could share
  std::string
      whyNotLineAligned; // why that reduction cannot begin at lines of memory; empty: it can
  std::optional<FusionParts> fusion; // with the next step, where the two could be one kernel
  std::vector<StripForm> strips;     // how threads that walk along rows could be coalesced
  std::vector<ArrayFacts> arrays;    // in the order of first access

  bool isParallel() const { return kind == StepKind::Parallel; }
};

// For each kernel of the region's plan, in the same order.
using RegionFacts = std::vector<StepFacts>;

RegionFacts factsOf(const Program &program, const Schedule &schedule, const DeviceSpec &device);

// A plan beside what it was made from.
struct RegionPlan {
  const Plan &plan;
  const RegionFacts &facts;

  // Of a kernel of the plan.
  const StepFacts &of(const KernelPlan &kernel) const {
    return facts[size_t(&kernel - plan.kernels.data())];
  }
};

// How far the flattened position of an access moves when only the given dimension of the step grows
// by one: 1 is coalesced, 0 the same position. Nothing where it is not that regular.
std::optional<int> strideAlong(const Statement &statement, const Access &access, const Step &step,
                               size_t dimension);

// parallel, reduction or serial.
std::string nameOf(StepKind kind);

// As JSON, for people and tools: a list of steps for each region.
struct NamedFacts {
  std::string function;
  int region = 0;
  const RegionFacts *facts = nullptr;
};
std::string toJson(const std::vector<NamedFacts> &regions);

} // namespace nw
