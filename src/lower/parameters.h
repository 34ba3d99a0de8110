// What kernels and the region function get from outside: buffers, values, and the estimates for the
// decision at run time.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// Finds what the kernel's body uses from outside, makes it the kernel's parameters and adds the
// kernel. `hostValues` are what the host computes for it, by name.
void finishKernel(Kernel k, const Program &p, const std::map<std::string, ExprP> &hostValues,
                  Kernels &out);

// The values that the region function gets.
void addScalars(const Program &p, Kernels &out);

// How much work there is; `known` is what holds of the parameters.
void addEstimates(const Program &p, const isl::set &known, Kernels &out);

} // namespace nw
