// A value that a thread loads before a loop, loaded in the loop instead: an iteration that needs nothing of its thread can then be another thread's.
#pragma once
#include "ir/region.h"

namespace nw {

// The code with such loads in the loops that use them, where the loop could be shared out, the variable is never set again and the array never written.
StmtP withForwardedLoads(const StmtP &code, const std::map<std::string, Variable> &variables);

} // namespace nw
