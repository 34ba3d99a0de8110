// Order between the instances of two places.
#pragma once
#include "verify/places.h"

namespace nw {

// Pairs of instances of which one thread executes the first before the second.
isl::map inOrder(const Place &first, const Place &second, const isl::set &context);

} // namespace nw
