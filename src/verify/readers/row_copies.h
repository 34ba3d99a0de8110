// Private variables of which each row of threads of a block has its own in shared memory, undone.
// In a block of 8 rows,
//
//   shared T sum[8]; … sum[local.y] …
//
// becomes a variable that the threads of a row share.
#pragma once
#include "kernel/kernel.h"

namespace nw {

struct RowCopies {
  StmtP body;                  // without the subscripts that tell rows apart
  std::set<std::string> names; // of the variables that had them
};

// The code of a kernel with blocks of that shape. Variables of other names than `candidates`, and
// those that are used in another way anywhere, stay as they are.
RowCopies withoutRowCopies(const StmtP &body, const std::array<int, 3> &block,
                           const std::set<std::string> &candidates);

} // namespace nw
