// Results that blocks leave in a buffer for the next launch: which of them are left and taken
// where, for all sizes. That both ends fit together is a matter of checks/partial_results.cpp.
#pragma once
#include "kernel/partial_results.h"
#include "verify/readers/positions.h"

namespace nw {

// The statement that takes its result, where there is exactly one.
const Combination *combinationOf(const PositionReport &report, const Kernel &kernel,
                                 const std::string &variable);
// The unknowns that tell the threads apart whose registers are put together.
std::vector<std::string> unknownsAlong(const Combination &c, int axis);
isl::set without(isl::set s, const std::vector<std::string> &unknowns);
// column -> [values], over all unknowns in `when`.
isl::map columnRelation(const isl::pw_aff &column, const std::vector<isl::pw_aff> &values,
                        const isl::set &when);

// Results of columns on their way.
struct Handover {
  LeftResult left;
  TakenResults taken;
  const Combination *from, *to;
  isl::pw_aff here, there; // the column, where it is left and where it is taken
};
// Nothing where the statement leaves none, or nothing takes them.
std::optional<Handover> handoverOf(const PositionReport &report, const Combination &from);

// Each result is left by one thread; what is taken has been left; and the buffer is there.
std::string wrongCells(const Kernels &kernels, const Handover &handover);

} // namespace nw
