// Plans for the check at small sizes. The host takes most forms of a step from a number of points,
// tiles or values on only, which small sizes do not have.
#pragma once
#include "plan/plan.h"

namespace nw {

// The plan with other such numbers, and nothing else: in the first of the answers every step is run
// in its first form, in the second in its second, and so on, at all sizes that the form is right
// for; in the last in the plain one. Steps with fewer forms are plain by then. Empty where no step
// has such a number.
std::vector<Plan> plansByForm(const Plan &plan);

} // namespace nw
