// The list of checks.
#include "verify/verify.h"
#include "kernel/partial_results.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/proof_key.h"
#include "verify/interpreter/sampled.h"
#include "verify/rewriting/rewriting.h"

namespace nw {

// What the execution of blocks finds. Kernels that are the same but for names share one proof.
static std::vector<Finding> executedFindings(const Kernels &k) {
  std::vector<Finding> all;
  std::set<std::string> proved;
  for (const Kernel &kernel : k.kernels) {
    std::string key = proofKey(kernel);
    if (proved.count(key))
      continue;
    std::vector<Finding> found = checkReductionSteps(withoutPartialResults(kernel)),
                         more = checkStaging(kernel);
    found.insert(found.end(), more.begin(), more.end());
    if (found.empty())
      proved.insert(key);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

static bool isOfWidths(const Finding &f) { return f.check == "widths"; }

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
  take(checkPartialResults(k));
  for (const Kernel &kernel : k.kernels)
    take(checkKeeps(withoutPartialResults(kernel)));
  take(executedFindings(k));
  std::vector<PositionReport> reports = readPositions(p, k);
  for (const PositionReport &report : reports)
    take(report.findings);
  bool areTooShort = std::any_of(all.begin(), all.end(), isOfWidths) &&
                     std::all_of(all.begin(), all.end(), isOfWidths);
  if (areTooShort) // they are made anew, with longer integers
    return all;
  for (const PositionReport &report : reports) {
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
