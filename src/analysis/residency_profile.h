// The bottleneck of an application from the few figures that a table of applications gives
// (principles, Table 3): threads that are active at a time, registers and shared memory per thread,
// and the ratio of memory cycles to computation cycles. No instruction mix is known here; where one
// is, the model of time says more.
#pragma once
#include "device/device_spec.h"

namespace nw {

struct ResidencyProfile {
  double activeThreads = 0; // on the whole device
  double registersPerThread = 0;
  double sharedPerThread = 0; // bytes
  double memoryToCompute = 0; // cycles of global memory for each cycle of computation
};

enum class TableBottleneck {
  InstructionIssue,
  MemoryBandwidth,
  RegisterCapacity,
  SharedCapacity,
  MemoryCapacity
};

// The rule, first match:
//   memory takes longer than computing                             bandwidth
//   threads are missing, and a filled shared memory is why         capacity of whichever on-chip
//   memory is fuller twice the threads would fit on the chip, but are not there     capacity of
//   global memory: their data do not fit memory takes a third of computing or more bandwidth
//   otherwise                                                      instruction issue
TableBottleneck bottleneckOf(const ResidencyProfile &profile, const DeviceSpec &device);

const char *nameOf(TableBottleneck bottleneck);

} // namespace nw
