// Copies to shared memory that are under way while a thread does something else.
#pragma once
#include "ir/tree.h"

namespace nw {

// Whether any of the code is such a copy.
bool hasAsync(const StmtP &body);
// Barriers that wait for the thread's own copies first.
StmtP withWaits(const StmtP &body);

} // namespace nw
