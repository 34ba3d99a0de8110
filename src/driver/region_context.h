// What the stages of one region share: what was asked for, and what was found out on the way.
#pragma once
#include "driver/pipeline.h"
#include "verify/finding.h"

namespace nw {

struct RegionContext {
  const CompileOptions &options;
  const DeviceSpec &device;
  const std::vector<Plan> &givenPlans;
  Compilation &out;       // remarks go there
  bool staysFlat = false; // flattened arrays keep their one subscript
  bool hasRows = false;   // set where flattened arrays were given rows

  // Throws where the file has used up its time or memory.
  void inLimits(const Region &region) const;
  // The plan that the user gave for the region of this plan, or nullptr.
  const Plan *givenFor(const Plan &plan) const;
  // Whether the program computes what the one that it was made of does. If not, that is a bug of
  // ours, which is told; the nest is compiled without.
  bool isAccepted(const Program &made);
};

// Begins a new budget of isl operations for the region.
void resetOperations(const Program &program);

// What the verifier found, with a file that shows it, and what becomes of the nest.
Diagnostic bugIn(const Region &region, const std::vector<Finding> &all, const std::string &shown,
                 const char *outcome, const std::string &file);

} // namespace nw
