// Steps that only set or scale elements, such as y[j] = 0 or y[j] *= beta, become the beginning of
// the later step that goes on with these elements, such as y[j] += A[i][j] * x[i]: one kernel
// instead of two, and what was set need not be fetched again.
#pragma once
#include "poly/steps.h"

namespace nw {

// The same steps, of which those that can have become the beginning of others.
Step withFusedInits(const Program &program, const Dependences &dependences, const Step &root);

} // namespace nw
