// Values that a thread has for itself, in loops that go on by as many threads as there are: such a
// loop is one over the whole range only if its iterations need nothing of each other.
#pragma once
#include "ir/region.h"
#include <set>

namespace nw {

// How often the code mentions the variable; declarations do not count.
int mentionsOf(const StmtP &code, const std::string &name);

// Variables from outside the loop that each of its iterations sets anew, and that nobody looks at
// afterwards. Throws a Diagnostic (NW0110) where a thread brings something from one iteration to
// the next or out of the loop, or leaves it by break.
std::set<std::string> setAnew(const StmtP &loop, const StmtP &kernel,
                              const std::map<std::string, Variable> &variables);

// The code with these declared in the loops.
StmtP declaredAnew(const StmtP &code, const std::set<std::string> &names);

} // namespace nw
