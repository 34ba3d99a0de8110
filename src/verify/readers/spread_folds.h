// Folds that the threads of a block share out among them: each adds to a register of its own; a
// Fold puts the registers of a row or a column of the block together; one thread brings the result
// to the target.
#pragma once
#include "verify/readers/places.h"

namespace nw {

// Whether the threads of a block put this variable of the kernel together.
bool isSpread(const Kernel &kernel, const std::string &variable);

// Whether the kernel takes partial results that blocks of such a fold have left: 'folds' looks at
// how.
bool takesSpreadResults(const Kernels &kernels, const Kernel &kernel);

// For instances of such folds: they touch their target where the result is brought there, and
// everything else where they are.
void addTargets(const Program &program, PlaceReport &report);

// A part of the check 'folds'.
std::vector<Finding> checkSpreadFolds(const Program &program, const Kernels &kernels,
                                      const PlaceReport &report);

} // namespace nw
