// One function that is tuned: its regions with their spaces and what is known of them, and the job
// that takes candidates to a device.
#pragma once
#include "check/bundle_cubins.h"
#include "check/check_function.h"
#include "tune/bundle.h"
#include "tune/sizes.h"
#include "tune/tune_log.h"
#include "tuner/tune_candidates.h"

namespace nw {

// A region and its search.
struct TunedSearch {
  const CompiledRegion *region = nullptr;
  std::string key; // of its results
  Space space;
  Knowledge known;
  std::map<int, MadeCandidate> made; // by number; 0: the proposed plan
  size_t refused = 0;
  // The number of a candidate that is to be measured; it stays the same in all bundles.
  int add(MadeCandidate candidate);
};

struct TunedFunction {
  CompileOptions options;
  const Compilation *compilation = nullptr;
  CheckedFunction checked;
  CheckSettings settings;
  std::map<std::string, std::string> small; // sizes for checks against the original
  TuneTarget target;
  std::vector<TunedSearch> regions;
  Sizes sizes() const;
  std::string title() const; // "mm.c: mm"
};

// The function with empty searches; throws UserError where it cannot be tuned. `checkSizes` are
// NAME=VALUE settings for the check at small sizes.
TunedFunction describeTuning(const CompileOptions &options, const Compilation &compilation,
                             const Signature &signature, const CheckSettings &settings,
                             const std::map<std::string, std::string> &checkSizes,
                             const TuneTarget &target);

// Sizes of the same awkwardness at which the original is quick: all are divided by the same number,
// what they leave over by 32 is kept.
std::map<std::string, std::string> smallSizes(const std::map<std::string, std::string> &sizes,
                                              size_t loopDepth);

// The job with these candidates: numbers for each region, in order, without 0. Kernels go to
// `kernels`, for cubins.
BundleJob tuneJob(const TunedFunction &f, const std::vector<std::vector<int>> &candidates,
                  int repeats, size_t number, std::vector<KernelSource> &kernels);

} // namespace nw
