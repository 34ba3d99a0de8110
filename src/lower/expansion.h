// Memory for a private variable: a copy for each iteration of its loops.
#pragma once
#include "kernel/kernel.h"
#include "lower/instances.h"

namespace nw {

struct ExpandedVariable {
  Buffer buffer;
  Expansion expansion; // its values are the host's
};

// `known`: of the parameters.
ExpandedVariable expandedVariable(const Program &program, const std::string &name,
                                  const isl::set &known);

} // namespace nw
