// How accesses move when a loop of a step goes on.
#pragma once
#include "poly/steps.h"

namespace nw {

// How the subscripts of an access change when one dimension of the step grows by one and the
// others, with the host's loops around, stay: a number for each subscript; nothing where it is not
// that regular. Dimensions are those that run in parallel, then those of `inside`.
std::optional<std::vector<int64_t>> movement(const Statement &s, const Access &a, const Step &step,
                                             size_t dimension);

} // namespace nw
