// Copies that are under way while a strip is computed: put back to where they are needed, so that
// they can be read as others are.
#pragma once
#include "ir/tree.h"

namespace nw {

// The same kernel with each copy of the next strip at the beginning of the next turn, before its
// barrier. Nothing changes where the statements are of another shape: copies that are under way are
// left then, which the reader of the kernel does not accept.
StmtP withoutAsync(const StmtP &body);

} // namespace nw
