// Sums that live in memory, such as C[i][j] += A[i][k] * B[k][j]: a variable that begins with zero
// takes the values, and is added to the element in the end. The element's address is then needed
// once, behind the loop, and what came before the loop (C[i][j] *= beta) goes behind it, too.
#pragma once
#include "poly/scalar_replacement.h"

namespace nw {

// Whether a sum of the step is worth it.
using PaysToAccumulate = std::function<bool(const Step &step, const Statement &sum)>;

// The program with such sums in variables, and its schedule: in steps of several parallel loops,
// where a thread has one element of the sum. Nothing where there are none.
std::optional<ScalarReplaced> accumulate(const Program &program, const Schedule &schedule,
                                         const PaysToAccumulate &pays);

} // namespace nw
