// What a Plan says about one array of a kernel: the memory that it is read from, and why. Chosen by
// a policy, changed by people, refused where the program writes the array or the device has no room
// for it.
#pragma once
#include "device/device_spec.h"
#include "ir/memory_space.h"
#include "poly/steps.h"

namespace nw {

struct ArrayPlan {
  std::string name;
  MemorySpace space = MemorySpace::Global;
  std::string why;
};

enum class SpacePolicy {
  Default,  // by what the device gains: read-only where nothing writes; constant where no cache
            // serves plain loads
  Patterns, // Algorithm 1 of *patterns*
};

struct ArrayFacts;
struct Plan;
struct StepFacts;

// Gives every kernel of the plan its arrays, in the order of first access.
void placeArrays(const Program &program, const Schedule &schedule,
                 const std::vector<StepFacts> &facts, const DeviceSpec &device, SpacePolicy policy,
                 Plan &plan);

// Takes over what is given for arrays of one kernel; arrays that are not given stay as proposed.
// Returns what is wrong with it, in words that follow the kernel's name; nothing where all is well.
std::string adoptArrays(std::vector<ArrayPlan> &proposed, const std::vector<ArrayFacts> &facts,
                        const std::vector<ArrayPlan> &given, const DeviceSpec &device);

} // namespace nw
