// Results that blocks leave in a buffer for another kernel, as the verifier reads them: what the
// checks of reductions over several blocks share.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// The Reduce of the variable, where there is exactly one.
const Stmt *reductionOf(const Kernel &kernel, const std::string &variable);
// The assignment that takes its result, where there is exactly one.
const Combination *combinationOf(const PositionReport &report, const Kernel &kernel,
                                 const std::string &variable);
// The unknowns that tell the threads apart whose registers are put together.
std::vector<std::string> unknownsAlong(const Combination &c, int axis);
isl::set without(isl::set s, const std::vector<std::string> &unknowns);

// Kernels that have the buffer of this name.
std::vector<const Kernel *> usersOf(const Kernels &kernels, const std::string &buffer);
// The buffer that the combination leaves a partial result in, or nothing.
std::string bufferOf(const Program &program, const Combination &c);
// The one that takes the partial results in the buffer.
const Combination *gatheringOf(const PositionReport &report, const std::string &buffer);

ExprP bareInteger(ExprP e);
bool isCoordinate(const ExprP &e, const char *name);
std::string withoutCasts(const ExprP &e);

// buffer[row * width + column], computed in 64 bits.
struct PartialCell {
  ExprP row, width, column;
};
std::optional<PartialCell> cellOf(const ExprP &e, const std::string &buffer);

// Whether the buffer has its memory wherever the combination is executed.
bool isThere(const Buffer &buffer, const Combination &c);

// The value that the host gives for a parameter of the kernel.
ExprP passed(const Kernel &kernel, const ExprP &e);
// Whether the one launch is the host's next step after the other.
bool follows(const Combination &first, const Combination &second);
// column -> [values], over all unknowns in `when`.
isl::map columnRelation(const isl::pw_aff &column, const std::vector<isl::pw_aff> &values,
                        const isl::set &when);
// How many blocks the launch has along an axis that is limited.
std::optional<isl::pw_aff> blocksOf(const HostStep &launch, const Kernel &kernel, int axis,
                                    const AffineScope &host);

} // namespace nw
