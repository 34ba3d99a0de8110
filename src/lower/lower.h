// Program × Schedule × Plan → Kernels: the buffers, the kernels and the host steps of one region.
#pragma once
#include "device/device_spec.h"
#include "kernel/kernel.h"
#include "plan/plan.h"
#include "support/diagnostics.h"

namespace nw {

// `isWide`: counters and bounds in 64 bits, where the verifier has found 32 to be too few. Throws a
// Diagnostic when an array's extent cannot be known on the host.
Kernels lower(const Program &program, const Dependences &dependences, const Schedule &schedule,
              const Plan &plan, const DeviceSpec &device, bool isWide = false);

// Throws what `lower` throws of the arrays, which is nearly all that it throws, in a part of the
// time.
void refuseUnknownExtents(const Program &program, const Dependences &dependences,
                          const Schedule &schedule, const DeviceSpec &device);

} // namespace nw
