// Resident kernels: a loop of the host with all its steps in one kernel, which waits for all blocks
// after each of them.
#pragma once
#include "device/device_spec.h"
#include "lower/instances.h"
#include "plan/plan.h"
#include <span>

namespace nw {

struct ResidentKernel {
  StmtP body;
  std::array<int, 3> block;
  std::array<ExprP, 3> threads; // of the launch: as many as the widest step has work for
};

// The kernel of a loop; `plans` are those of its steps, in order. Nothing where it would be a
// thicket of barriers, which device compilers take badly.
std::optional<ResidentKernel> residentKernel(InstanceContext &context, const Step &loop,
                                             const View &view, std::span<const KernelPlan> plans,
                                             const DeviceSpec &device);

} // namespace nw
