// Reductions that a reduction clause names, as statements of their own. A loop's body that computes
// a local variable, stores it and reduces it is one statement to the model, since the variable is
// shared; what reduces could not be told from the rest. Here the reduction is taken out of it,
// and computes the locals that it needs once more.
#pragma once
#include "ir/tree.h"
#include <string>
#include <vector>

namespace nw {

// The statement in parts, one after the other the same as before, of which one reduces into
// `variable` and does nothing else; the statement alone where there is no reduction in it, where it
// is one already, or where what the locals are computed from may have changed.
std::vector<StmtP> withOwnReduction(const StmtP &s, const std::string &variable);

} // namespace nw
