// The verifier: a list of small checks of the final Kernels, run after every lowering. A finding is
// a bug of nestwarp's, never the user's; the nest then stays on the host.
#pragma once
#include "device/device_spec.h"
#include "kernel/kernel.h"
#include "verify/finding.h"

namespace nw {

std::vector<Finding> verifyKernels(const Program &program, const Kernels &kernels,
                                   const DeviceSpec &device);

} // namespace nw
