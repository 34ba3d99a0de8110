// When threads take several neighbouring points with wide accesses: where neighbouring points touch
// neighbouring elements of all arrays and each writes its own, and the step is large enough to fill
// the device with fewer threads.
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"
#include <functional>

namespace nw {

// How far an access moves when a dimension of the step grows by one; nothing where that is not
// regular.
using StrideAlong = std::function<std::optional<int>(const Statement &, const Access &,
                                                     const std::string &dimension)>;

// Adds points and wide accesses to the plan of a parallel step, with the reason, if they pay.
void proposeVectors(const Program &program, const Step &step, const StrideAlong &strideAlong,
                    const DeviceSpec &device, KernelPlan &kernel);

} // namespace nw
