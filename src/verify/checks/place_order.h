// Order between the instances of two places.
#pragma once
#include "verify/readers/places.h"

namespace nw {

// Pairs of instances of which one thread executes the first before the second. Without `exactly`
// there may be more pairs, of instances that the places do not execute; that is much quicker where
// conditions are long.
isl::map inOrder(const Place &first, const Place &second, bool exactly = true);

// The coordinate as a function of the instance.
const isl::map &coordinateOf(const Place &place, size_t coordinate);
// Instances of the place.
const isl::set &instancesOf(const Place &place);
// Whether there are sizes for which both places have instances: forms of one step exclude each
// other.
bool mayMeet(const Place &a, const Place &b);

// The affine function that the relation is a part of, where there is one; else the relation. It
// says the same of the instances that the relation is about, without the conditions of loops and
// guards, which cost isl much.
isl::map asFunction(const isl::map &relation);

} // namespace nw
