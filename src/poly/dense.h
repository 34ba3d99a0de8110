// Parallel dimensions without gaps. A loop in steps, as `i += 4`, is counted in steps; a loop that
// stays close to another, as j in `for (j = i; j < i + 3; j++)`, is counted from there. Launches
// have a box of threads around all values, which would hold little else: n * n points around 3 * n
// instances, or 256 for each tile of 16 x 16 that the source has. Rows of three elements are one
// loop over memory.
#pragma once
#include "poly/steps.h"

namespace nw {

void countDensely(const Program &program, Step &step);

} // namespace nw
