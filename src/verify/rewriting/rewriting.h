// The checks of Programs that were made of others before they were scheduled: each computes what
// the one before it does, for all sizes. They see the two Programs alone, and nothing of how the
// one was made of the other.
#pragma once
#include "ir/program.h"
#include "verify/finding.h"

namespace nw {

// All steps from the Program as it was built to this one.
std::vector<Finding> checkRewriting(const Program &program);

// Statements in parts: every instance is in exactly one of them, with its code, its accesses and
// its time.
std::vector<Finding> checkSplitting(const Program &now, const Program &then);
// Memory of our own: every read, and what is visible in the end, has its value from where it was
// before.
std::vector<Finding> checkRenaming(const Program &now, const Program &then);
// Elements in variables: from load to store nobody else touches the element, and the code between
// has the variable in its place.
std::vector<Finding> checkScalarReplacement(const Program &now, const Program &then);
// Sums in variables: each begins with zero and is added to its element in the end, which nobody
// else touches meanwhile; the sum's order was free.
std::vector<Finding> checkAccumulation(const Program &now, const Program &then);
// Rows of flattened arrays: the subscripts are parts of the one that there was, and none leaves its
// row.
std::vector<Finding> checkDelinearization(const Program &now, const Program &then);

} // namespace nw
