// Index-set splitting: where a statement reads an element near the one it writes, such as P[i][k]
// beside P[i][j], the instances before, at and after the collision behave differently. Split there,
// each part may be parallel although the whole is not (Floyd-Warshall, eliminations written as one
// statement).
#pragma once
#include "ir/program.h"

namespace nw {

// The program with such statements split; nothing where there is nothing to split.
std::optional<Program> splitAtCollisions(const Program &program);

} // namespace nw
