// What a Reduce of a block's threads becomes on a device: exchanges between the threads of a warp,
// or steps in shared memory.
#pragma once
#include "ir/program.h"
#include <array>

namespace nw {

inline const char *const kReducedName = "nw_reduced"; // the register that a thread reduces into

// The value that changes nothing.
ExprP identityOf(const Reduction &reduction);
ExprP identityOf(const std::string &op, const Type &type); // null for what is no operator
// The operator of Collective for a reduction, and the expression that it stands for.
std::string reductionOperator(ReductionKind kind, bool byFunction);
std::string operatorOf(const Reduction &reduction);
ExprP reducedBy(const std::string &op, const ExprP &a, const ExprP &b);
// The statement itself.
StmtP reduceStmt(const std::string &variable, const Type &type, const std::string &op, int axis);
// Whether threads of a block put values together, if only partial results that they take.
bool hasReductions(const StmtP &body);
// Bytes of shared memory that the reductions need where no threads exchange values directly.
int64_t reductionBytes(const StmtP &body, const std::array<int, 3> &block);

// exchange(value, distance): what the thread has whose number in the warp differs in that bit.
inline const char *const kExchange = "nw_exchange";

// The body with its reductions as such steps. `warp`: threads that can exchange values directly; 1:
// none can. Without turns, slots for the results of warps are always the same, which is not right,
// but costs the same: for the model of time, which knows no value that changes in a loop.
StmtP withReductionSteps(const StmtP &body, const std::array<int, 3> &block, int warp,
                         bool takesTurns = true);

} // namespace nw
