// Loops whose bounds are constants up to an edge, such as those of a filter near the border of an
// image: they run over the constants and ask inside, so that a compiler can write them out and
// start all their loads at once.
#pragma once
#include "ir/tree.h"

namespace nw {

StmtP withShortLoops(const StmtP &code);

} // namespace nw
