// Scheduling in source order: statements that depend on each other in a cycle stay together, all
// others get nests of their own; in each nest the loops that carry nothing are parallel. (Allen and
// Kennedy's distribution, on isl's relations, with fusion where it costs no parallelism.)
#pragma once
#include "poly/steps.h"

namespace nw {

// A better step for a group of statements, given the one found here; nothing to keep it.
using Alternative =
    std::function<std::optional<Step>(const std::vector<size_t> &group, const Step &plain)>;

// `relaxed`: reductions may be reordered. `alternative` is asked for every outermost group.
// `inMemory` gets the private variables whose statements were distributed, so that they need a
// element in memory.
Step distribute(const Program &program, const Dependences &dependences, bool relaxed,
                const Alternative &alternative, std::set<std::string> &inMemory);

} // namespace nw
