// The list of checks.
#include "verify/verify.h"
#include "verify/checks/kernel_checks.h"
#include "verify/interpreter/sampled.h"
#include "verify/rewriting/rewriting.h"

namespace nw {

std::vector<Finding> verifyKernels(const Program &p, const Kernels &k, const DeviceSpec &device) {
  std::vector<Finding> all;
  auto take = [&](const std::vector<Finding> &found) {
    all.insert(all.end(), found.begin(), found.end());
  };
  take(checkResources(k, device));
  take(checkSpaces(p, k, device));
  take(checkRewriting(p));
  take(checkAccesses(p));
  take(checkArguments(p, k));
  take(checkOverlaps(p, k));
  take(checkRanges(p, k));
  for (const Kernel &kernel : k.kernels)
    take(checkReductionSteps(kernel));
  std::vector<PositionReport> reports = readPositions(p, k);
  for (const PositionReport &report : reports) {
    take(report.findings);
    take(checkBodies(p, report));
    take(checkCover(p, report));
    take(checkLocals(p, report));
    take(checkReductions(p, k, report));
  }
  take(checkOrders(p, reports));
  if (all.empty()) // what is known to be wrong need not run
    take(checkSamples(p, k, device));
  return all;
}

} // namespace nw
