// The check that runs: the original and the kernels side by side in the interpreter, on a few small
// inputs. It sees what the polyhedral checks cannot: bounds, guards, barriers, ranges and copies as
// they came out of the lowering.
#pragma once
#include "device/device_spec.h"
#include "verify/interpreter/interpreter.h"

namespace nw {

struct SampleOptions {
  int64_t budget = 800000; // steps of the interpreter, for all runs together: at most some 50 ms
  uint64_t seed = 1;
  bool larger = false; // other and larger sizes than the check of every compilation takes
};

struct SampleReport {
  std::vector<Finding> findings;
  int inputs = 0; // inputs on which both were run and compared
  int runs = 0;   // of kernels, in all their forms
  int64_t steps = 0;
  std::string skippedWhy; // where inputs is 0
};

SampleReport runSamples(const Program &program, const Kernels &kernels, const DeviceSpec &device,
                        const SampleOptions &options = {});
std::vector<Finding> checkSamples(const Program &program, const Kernels &kernels,
                                  const DeviceSpec &device);

} // namespace nw
