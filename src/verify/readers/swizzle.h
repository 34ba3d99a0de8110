// Copies in shared memory whose rows are permuted against bank conflicts, as if they were not.
#pragma once
#include "ir/tree.h"

namespace nw {

// Where every access to a shared array is copy[…][row][column ^ (row & mask)], with one mask, a
// power of two less one, and rows of a multiple of as many elements: the same with
// copy[…][row][column]. Each row has its elements in other positions then, each in one, and whoever
// stored an element there is found there. An array with any other access stays as it is, and will
// not be understood.
StmtP withoutSwizzle(const StmtP &body);

} // namespace nw
