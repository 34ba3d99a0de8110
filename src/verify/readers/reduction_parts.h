// Parts of reductions, as the verifier reads them in kernels.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// Whether it is the value that changes nothing.
bool isNeutral(const Reduction &r, const ExprP &e);
// What target = target op added adds, or nothing.
ExprP addedTo(const Reduction &r, const Stmt &s);
// The variable that takes the place of the reduction's target in the instance, or nothing.
std::string partialOf(const SchedulePosition &position, const Reduction &r);
// The statement in blocks of which it is the only one.
StmtP alone(StmtP s);
// Whether the variable is an array of which each thread has some elements, one for each of its
// columns, as long as the kernel runs: sums of columns.
bool isColumnSum(const Kernel &kernel, const std::string &variable);

// A variable that gathers what instances reduce, in the block that declares it: { …; T variable =
// neutral; …; Reduce; …; [if (guards)] result; … }. Sums of columns begin in a loop over all
// columns and are not put together.
struct Gathering {
  std::vector<StmtP> instances; // statements that touch it before it is put together
  const Stmt *reduce = nullptr;
  std::vector<ExprP> guards;
  StmtP result; // the only statement that takes it: an assignment, or it is left
};
// What is wrong with it, or nothing: anything but instances touches it before its values are put
// together in the reduction's way, or other code than the result afterwards.
std::string wrongGathering(const Stmt &block, const std::string &variable, const Reduction &r,
                           Gathering &found);
// How often the code mentions, declares or reduces it.
int usesOf(const StmtP &code, const std::string &variable);
// A[i].x[j] as "A[].x[]" and its subscripts.
std::string shapeOf(const ExprP &e, std::vector<ExprP> &subscripts);

} // namespace nw
