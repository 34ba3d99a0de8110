// Memory of our own in place of memory that is used again: snapshots and expansions, see
// poly/rename_search.h. The result is an ordinary program, with more arrays and with statements
// that copy elements; dependences, schedules and kernels of it are made as of any other. `before`
// is the program as it was: the verifier holds the two against each other
// (src/verify/rewriting/renaming.cpp).
#pragma once
#include "poly/rename_search.h"

namespace nw {

Program withRenamings(const Program &program, const std::vector<Renaming> &renamings);

} // namespace nw
