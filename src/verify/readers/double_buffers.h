// Copies in shared memory that have two buffers, of which strips take turns, as copies with one
// buffer and a barrier more.
#pragma once
#include "ir/tree.h"

namespace nw {

// Where the buffers are not used in turns, or a barrier is missing, the code stays as it is, and
// the copies will not be understood.
StmtP withoutDoubleBuffers(const StmtP &body);

} // namespace nw
