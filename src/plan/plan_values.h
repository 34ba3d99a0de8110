// Values of a plan's fields: which are worth a try, and which go together.
#pragma once
#include "plan/plan.h"

namespace nw {

struct StepFacts;

// What the values of a knob may depend on. Null for what the field does not belong to.
struct KnobSite {
  const DeviceSpec &device;
  const KernelPlan *kernel = nullptr;
  const StepFacts *facts = nullptr;
  const TilePlan *tile = nullptr;
};

// Values that are worth a try; none where the field is none of the kernel's choices.
std::vector<std::vector<int>> blocksToTry(const KnobSite &site, const std::vector<int> &proposed);
std::vector<std::vector<int>> threadTilesToTry(const KnobSite &, const std::vector<int> &);
std::vector<std::vector<int>> windowTilesToTry(const KnobSite &, const std::vector<int> &proposed);
std::vector<int> accessBytesToTry(const KnobSite &, const int &proposed);
std::vector<bool> boundaryKernelsToTry(const KnobSite &site, const bool &);
std::vector<std::vector<int>> tileBlocksToTry(const KnobSite &site, const std::vector<int> &);
std::vector<std::vector<int>> reducingBlocksToTry(const KnobSite &, const std::vector<int> &);
std::vector<bool> lineAlignmentsToTry(const KnobSite &, const bool &proposed);
std::vector<int> stripLengthsToTry(const KnobSite &site, const int &);
std::vector<int> stagesToTry(const KnobSite &site, const int &);
std::vector<int> prefetchesToTry(const KnobSite &site, const int &);
std::vector<Tail> tailsToTry(const KnobSite &site, const Tail &proposed);
std::vector<int> copyBytesToTry(const KnobSite &, const int &proposed);
std::vector<int> swizzlesToTry(const KnobSite &, const int &proposed);
std::vector<int> fusedBlocksToTry(const KnobSite &, const int &proposed);
std::vector<LaunchMode> launchFormsToTry(const KnobSite &, const LaunchMode &proposed);

// Gives up what does not go with the other fields of the kernel after one of them was changed: wide
// accesses without several points, stages without a strip, …
void settle(KernelPlan &kernel);

} // namespace nw
