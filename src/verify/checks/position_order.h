// Order between the instances of two positions.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// Pairs of instances of which one thread executes the first before the second. Without `exactly`
// there may be more pairs, of instances that the positions do not execute; that is much quicker
// where conditions are long.
isl::map inOrder(const SchedulePosition &first, const SchedulePosition &second,
                 bool exactly = true);

// The coordinate as a function of the instance.
const isl::map &coordinateOf(const SchedulePosition &position, size_t coordinate);
// Instances of the position.
const isl::set &instancesOf(const SchedulePosition &position);
// Whether there are sizes for which both positions have instances: forms of one step exclude each
// other.
bool mayMeet(const SchedulePosition &a, const SchedulePosition &b);

// The affine function that the relation is a part of, where there is one; else the relation. It
// says the same of the instances that the relation is about, without the conditions of loops and
// guards, which cost isl much.
isl::map asFunction(const isl::map &relation);

} // namespace nw
