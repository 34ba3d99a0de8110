// What the checks that hold for all sizes find, of the fallbacks and of every alternative.
#pragma once
#include "kernel/partial_results.h"
#include "verify/checks/kernel_checks.h"

namespace nw::testing {

inline std::vector<Finding> provedFindings(const Program &p, const Kernels &k) {
  std::vector<Finding> all = checkPartialResults(k);
  for (const Kernel &kernel : k.kernels)
    for (const std::vector<Finding> &some :
         {checkStaging(kernel), checkKeeps(withoutPartialResults(kernel))})
      all.insert(all.end(), some.begin(), some.end());
  for (const PositionReport &report : readPositions(p, k))
    for (const std::vector<Finding> &some :
         {report.findings, checkBodies(p, report), checkCover(p, report), checkOrder(p, report),
          checkLocals(p, report), checkReductions(p, k, report)})
      all.insert(all.end(), some.begin(), some.end());
  return all;
}

inline std::string textOf(const std::vector<Finding> &findings) {
  std::string all;
  for (const Finding &f : findings)
    all += f.check + ": " + f.what + "\n";
  return all;
}

// What could not be read.
inline std::vector<Finding> readingFindings(const Program &p, const Kernels &k) {
  std::vector<Finding> all;
  for (const PositionReport &report : readPositions(p, k))
    all.insert(all.end(), report.findings.begin(), report.findings.end());
  return all;
}

} // namespace nw::testing
