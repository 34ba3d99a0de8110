// The two kernels of a reduction over all instances: partial results per block by a tree in shared
// memory, then the fold of those in a fixed order, so that results do not change from run to run.
#pragma once
#include "ir/program.h"

namespace nw {

inline const char *const kPartialName = "nw_partial"; // stands for the buffer of partial results

struct ReductionCode {
  StmtP fold, combine;
};

// `instance` is the code for the instance number `place`; `places` is how many there are.
ReductionCode reductionCode(const Reduction &reduction, const StmtP &instance, const ExprP &places,
                            int threads);

// The same within a resident kernel: the first block folds alone, while the others wait at the next
// barrier.
StmtP residentReduction(const Reduction &reduction, const StmtP &instance, const ExprP &places,
                        int threads, int rows);

// The value that changes nothing.
ExprP identityOf(ReductionKind kind, const Type &type);
ExprP combined(ReductionKind kind, const ExprP &a, const ExprP &b, bool byFunction);

} // namespace nw
