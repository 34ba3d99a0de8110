// Launches that have a thread for all that a kernel lets through: `if (x < n)` is there because
// threads_x is n, rounded up to whole blocks. That is assumed, and tested at each launch; then
// instances are those with x < n, and nothing has to be compared with the number of threads.
#pragma once
#include "ir/cuda_kernel.h"
#include "ir/program.h"

namespace nw {

// The program under the assumption, for each axis of the grid whose number of threads does not
// matter then. Where a launch has fewer threads, the kernel is launched as it was.
void assumeCovered(Program &program, const CudaKernel &kernel);

} // namespace nw
