// Relations in fewer pieces: most of what isl does takes each piece of one with each of the other.
#pragma once
#include "support/isl_tools.h"

namespace nw {

// The same as fewer pieces, where coalescing finds such: the 49 reads of a stencil are one box.
// What stays in as many pieces stays as it was, since their divisions may become harder.
isl::map inFewerPieces(const isl::map &m);
isl::union_map inFewerPieces(const isl::union_map &u);

} // namespace nw
