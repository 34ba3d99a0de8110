// Loads of the next strip that are under way while one is computed, put back to the strip that they
// are for.
#pragma once
#include "ir/tree.h"

namespace nw {

// The same code with loads and their stores in one turn of the loop. Where they do not belong
// together it stays as it is, and the copies will not be understood.
StmtP withoutPrefetch(const StmtP &body);

} // namespace nw
