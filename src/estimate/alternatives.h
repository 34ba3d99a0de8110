// Other plans for a region that the planner could propose as well: other blocks, another loop along
// the threads, launches instead of a resident kernel. Each is lowered and estimated like the plan
// that was taken.
#pragma once
#include "estimate/region_estimate.h"
#include "plan/facts.h"

namespace nw {

struct Alternative {
  std::string what;                      // in words
  double seconds = 0;                    // of the region
  std::map<std::string, double> kernels; // by name: of all launches
  bool isStrips = false;                 // a step by strips of rows (--coalesce)
};

// Lowers another plan for the same region; may throw what lowering throws.
using Relower = std::function<Kernels(const Plan &)>;

struct Alternatives {
  std::vector<Alternative> all;
  std::vector<std::string> failed; // that could not be lowered
};

// Registers and shared memory of a kernel in another plan, which no compiler has seen: those of the
// plan that was taken, and what the model has more or less for the other text; no more registers
// than let one block of so many threads run, as compilers have it.
KernelResources resourcesOfVariant(const KernelResources &taken,
                                   const KernelResources &modelOfTaken,
                                   const KernelResources &model, int threads,
                                   const DeviceSpec &device);

Alternatives estimateAlternatives(const Program &program, const RegionPlan &region,
                                  const Kernels &kernels, const Relower &relower,
                                  const std::map<std::string, int64_t> &sizes,
                                  const DeviceSpec &device, const ResourcesOf &resources,
                                  const RegionOptions &options);

} // namespace nw
