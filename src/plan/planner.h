// Proposes a Plan: which parallel loop runs along neighbouring threads, how large blocks are, how
// loops are launched.
#pragma once
#include "device/device_spec.h"
#include "plan/facts.h"
#include "plan/tile_choice.h"

namespace nw {

// Choices that are not weighed yet.
struct PlanOptions {
  int ilp =
      1; // values of the second dimension that a thread takes, where they share what they read
  TileOptions tiles;
  SpacePolicy policy = SpacePolicy::Default; // what chooses memories
  bool blockReduction = true;                // whether threads share reductions out among them
  bool fuse = true;     // whether steps that reduce over one array become one kernel
  std::string coalesce; // loads, stores or both: threads that walk along rows do so through shared
                        // memory; empty: another mapping is looked for
  bool vectors = true;  // wide accesses to neighbouring elements, where that pays
};

// `facts` are those of factsOf.
Plan propose(const Program &program, const Schedule &schedule, const RegionFacts &facts,
             const DeviceSpec &device, const PlanOptions &options = {});
// The same, for those who do not need the facts themselves.
Plan propose(const Program &program, const Schedule &schedule, const DeviceSpec &device,
             const PlanOptions &options = {});

// Takes what a given plan says about the same steps; throws UserError where it does not fit the
// program or the device.
Plan adopt(const Plan &proposed, const RegionFacts &facts, const Plan &given,
           const DeviceSpec &device);

} // namespace nw
