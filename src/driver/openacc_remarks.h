// What is said of OpenACC's directives beside what becomes of the loops.
#pragma once
#include "driver/pipeline.h"

namespace nw {

// Clauses that change nothing, each once in a file; and, unless the output carries out directives
// about data, the first of those.
std::vector<Diagnostic> openaccRemarks(const std::vector<openacc::Directive> &directives,
                                       bool carriesData);

} // namespace nw
