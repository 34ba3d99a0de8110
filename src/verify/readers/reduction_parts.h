// Parts of reductions, as the verifier reads them in kernels.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// The value that changes nothing.
bool isNeutral(ReductionKind kind, const ExprP &e);
// The two things that `e` reduces into one, where it does so in the reduction's way.
std::optional<std::pair<ExprP, ExprP>> reduced(const Reduction &r, const ExprP &e);
// What target = target op added adds, or nothing.
ExprP addedTo(const Reduction &r, const Stmt &s);
// The variable that takes the place of the reduction's target in the instance, or nothing.
std::string partialOf(const SchedulePosition &position, const Reduction &r);
// A[i].x[j] as "A[].x[]" and its subscripts.
std::string shapeOf(const ExprP &e, std::vector<ExprP> &subscripts);

} // namespace nw
