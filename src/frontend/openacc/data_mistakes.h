// What is wrong with data clauses and data directives, as far as the source tells: errors that
// point at the item. What only the run can tell (a section beyond its array, a variable that is not
// present) is the runtime's to say.
#pragma once
#include "frontend/openacc/directives.h"
#include "support/diagnostics.h"

namespace nw {

std::vector<Diagnostic> dataMistakes(const std::vector<openacc::Directive> &directives);

} // namespace nw
