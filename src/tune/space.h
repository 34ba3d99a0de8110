// The space of plans that the tuner looks through: from the plan that the planner proposes for a
// region, knobs, each a decision with the values that it may have. All strategies speak of
// candidates: one value for each knob. A candidate becomes a Plan, which may still be refused by
// `adopt` (plan/planner.h), by lowering or by the verifier: the space says what is worth trying,
// not what is right.
#pragma once
#include "device/device_spec.h"
#include "plan/facts.h"
#include <functional>

namespace nw {

// One decision. Kernels of the region that are planned alike share it.
struct Knob {
  std::string name;                        // "block of step0"
  std::vector<std::string> values;         // in words
  size_t proposed = 0;                     // the value that the planner has chosen
  std::function<void(Plan &, size_t)> set; // to a value other than the proposed one
};

struct Space {
  Plan proposed;
  std::vector<Knob> knobs;
};

// For each knob, which of its values.
using Candidate = std::vector<size_t>;

Space spaceFor(const RegionPlan &proposed, const DeviceSpec &device);

// How many candidates there are; the most that the type has if there are more.
size_t sizeOf(const Space &space);
Candidate proposedCandidate(const Space &space);
Plan planOf(const Space &space, const Candidate &candidate);
// "block of step0 64 x 4, points of step0 2 x 1"; "as proposed" where nothing is different.
std::string inWords(const Space &space, const Candidate &candidate);
// In how many knobs they differ.
size_t distance(const Candidate &a, const Candidate &b);
// All that differ in one knob, in the order of knobs and values.
std::vector<Candidate> neighbours(const Space &space, const Candidate &candidate);
// The candidate with this number, 0 to sizeOf - 1; number 0 is the proposed one.
Candidate candidateAt(const Space &space, size_t number);

} // namespace nw
