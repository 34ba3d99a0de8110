// Which values integer arrays may have, so that what they index stays inside of arrays: x[col[k]],
// and loops whose bounds are read from arrays, as the rows of a sparse matrix.
#pragma once
#include "check/check_harness.h"

namespace nw {

// Adds to the function's objects the ranges that its regions ask for. Subscripts that depend on
// data in another way than by a sum with a constant get a range that fits the data alone; whether
// it is enough shows when the original runs.
void addDataRanges(CheckedFunction &function, const Compilation &compilation);

} // namespace nw
