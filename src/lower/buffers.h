// The device buffers of a region: which part of each array it touches, what must be copied in and
// out, and which arrays must not overlap.
#pragma once
#include "kernel/kernel.h"
#include "lower/isl_ast.h"
#include "poly/dependences.h"

namespace nw {

// Fills out.buffers, out.mayAlias and out.scalarAlias for the arrays in the user's memory.
void lowerBuffers(const Program &program, const Dependences &dependences, const AstReader &reader,
                  Kernels &out);

} // namespace nw
