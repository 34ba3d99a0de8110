// A region as kernels in the plainest form: one thread runs every instance in source order. It
// stands for the source where kernels are held against it; it shares nothing with them but the
// Program and the code of single instances.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// `kernels` are those of the region: the buffers of arrays, the checks and the arguments are taken
// from there.
Kernels sourceKernels(const Program &program, const Kernels &kernels);

} // namespace nw
