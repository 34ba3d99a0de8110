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
// The statement in blocks of which it is the only one.
StmtP alone(StmtP s);
// A reduction by all threads of a block, at the end of it: { T start = …; loop; reduce it in the
// block; if (isFirst) result }, where the result is an assignment.
struct WholeReduction {
  const Stmt *start;
  StmtP loop;
  const Stmt *reduce;
  ExprP isFirst;
  const Stmt *result;
};
std::optional<WholeReduction> wholeReduction(const Stmt &block);
// What is wrong with it: it begins with the neutral value, all threads of a block of this shape put
// theirs together as the reduction does, and one of them takes the result. Nothing where all is
// well.
std::string wrongReduction(const WholeReduction &whole, const Reduction &r,
                           const std::array<int, 3> &shape);
// A[i].x[j] as "A[].x[]" and its subscripts.
std::string shapeOf(const ExprP &e, std::vector<ExprP> &subscripts);

} // namespace nw
