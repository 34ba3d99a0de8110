// The rule for tables of applications.
#include "analysis/residency_profile.h"
#include <algorithm>

namespace nw {

// Both were read off the paper's table, which leaves room around them: bandwidth begins between
// 0.276 and 0.375, a shared memory that counts as filled between 63 % and 82 %. (Registers alone,
// up to 98 % of them, never made a bottleneck of a kernel that has next to no memory to wait for.)
constexpr double kBandwidthFrom = 1.0 / 3, kFilledFrom = 0.75;

TableBottleneck bottleneckOf(const ResidencyProfile &p, const DeviceSpec &d) {
  double threads = p.activeThreads / d.multiprocessors;
  double ofThreads = threads / d.residentThreads;
  double ofRegisters = threads * p.registersPerThread / d.registers;
  double ofShared = threads * p.sharedPerThread / double(d.sharedPerMultiprocessor);
  if (p.memoryToCompute >= 1)
    return TableBottleneck::MemoryBandwidth;
  if (ofThreads < 1 && ofShared >= kFilledFrom)
    return ofRegisters > ofShared ? TableBottleneck::RegisterCapacity
                                  : TableBottleneck::SharedCapacity;
  if (std::max({ofThreads, ofRegisters, ofShared}) <= 0.5)
    return TableBottleneck::MemoryCapacity;
  return p.memoryToCompute >= kBandwidthFrom ? TableBottleneck::MemoryBandwidth
                                             : TableBottleneck::InstructionIssue;
}

const char *nameOf(TableBottleneck b) {
  static const char *const names[] = {"instruction issue", "global memory bandwidth",
                                      "register file capacity", "shared memory capacity",
                                      "global memory capacity"};
  return names[int(b)];
}

} // namespace nw
