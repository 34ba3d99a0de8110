// Copies in shared memory, and registers, that stand for elements of arrays. What is in them is
// executed by the check 'staging'.
#pragma once
#include "ir/program.h"
#include <set>

namespace nw {

// Variables of threads in which elements of arrays wait: they are loaded outside of instances, and
// instances only read them, in place of the elements.
std::set<std::string> registersIn(const StmtP &body);

// Shared arrays that stand for elements of arrays.
std::set<std::string> tilesIn(const StmtP &body);

// Variables in which values wait on their way to a copy, and that nothing else has to do with.
std::set<std::string> waitingIn(const StmtP &body);

// Whether an array that is copied back from the tile is touched in no other way, and the tile is
// read by such copies alone.
bool isOnlyCopiedBack(const StmtP &body, const std::string &array, const std::string &tile);

} // namespace nw
