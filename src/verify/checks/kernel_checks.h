// The checks of final kernels that hold for all sizes: each a function from what was read back to
// findings.
#pragma once
#include "device/device_spec.h"
#include "verify/readers/positions.h"

namespace nw {

// Every instance of every statement is executed exactly once, and nothing else is.
std::vector<Finding> checkCover(const Program &program, const PositionReport &report);
// The code of every instance is its statement's.
std::vector<Finding> checkBodies(const Program &program, const PositionReport &report);
// Two instances that touch the same element, one of them writing, keep the order of the source: by
// the host, by a barrier or in one thread. Dependences are computed here from the accesses, not
// taken from the scheduler.
std::vector<Finding> checkOrder(const Program &program, const PositionReport &report);
// The same for several reports: what statements have in conflict is found once.
std::vector<Finding> checkOrders(const Program &program,
                                 const std::vector<PositionReport> &reports);
// Variables of a kernel hold, at each read, the value that the source has there.
std::vector<Finding> checkLocals(const Program &program, const PositionReport &report);
// Values that the threads of a block reduce into one: each thread's once, without races, from the
// neutral value into the target.
std::vector<Finding> checkReductions(const Program &program, const Kernels &kernels,
                                     const PositionReport &report);
// What blocks leave in buffers is taken by the next launch, all of it, once; and what both ends
// become does that.
std::vector<Finding> checkPartialResults(const Kernels &kernels);
// Elements may be in registers while a loop runs, and what becomes of the loop has them there.
std::vector<Finding> checkKeeps(const Kernel &kernel);
// What a kernel reads from copies in shared memory, and from registers in which elements wait, is
// there, whichever threads brought it.
std::vector<Finding> checkStaging(const Kernel &kernel);
// The steps that a Reduce becomes bring the value of every thread to all of its row or column,
// once.
std::vector<Finding> checkReductionSteps(const Kernel &kernel);
// Subscripts in bodies, read anew, lie inside the Program's accesses.
std::vector<Finding> checkAccesses(const Program &program);
// Parameters of kernels are what the source calls so: values, arrays and their extents.
std::vector<Finding> checkArguments(const Program &program, const Kernels &kernels);
// Arrays that may share memory, one of them written, are held against each other at run time.
std::vector<Finding> checkOverlaps(const Program &program, const Kernels &kernels);
// Buffers hold the rows of their arrays that instances certainly touch.
std::vector<Finding> checkRanges(const Program &program, const Kernels &kernels);
// Arrays are in memories that they may be in: nothing writes what is read-only or constant, and
// constants fit.
std::vector<Finding> checkSpaces(const Program &program, const Kernels &kernels,
                                 const DeviceSpec &device);
// Block sizes, shared memory and grids fit the device.
std::vector<Finding> checkResources(const Kernels &kernels, const DeviceSpec &device);

} // namespace nw
