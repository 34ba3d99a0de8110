// The two kernels of a reduction over all instances: a partial result for each block, then the
// reduction of those by one block. The order is fixed, so that results do not change from run to
// run.
#pragma once
#include "ir/program.h"

namespace nw {

inline const char *const kPartialName = "nw_partial"; // stands for the buffer of partial results

struct ReductionCode {
  StmtP reduce, combine;
};

// `instance` is the code for the instance number `instance`; `instanceCount` is how many there are.
// Both kernels have blocks of so many threads.
ReductionCode reductionCode(const Reduction &reduction, const StmtP &instance,
                            const ExprP &instanceCount, int threads);

// The same within a resident kernel: the first block reduces alone, while the others wait at the
// next barrier.
StmtP residentReduction(const Reduction &reduction, const StmtP &instance,
                        const ExprP &instanceCount, int threads, int rows);

// The value that changes nothing.
ExprP identityOf(ReductionKind kind, const Type &type);
ExprP combined(ReductionKind kind, const ExprP &a, const ExprP &b, bool byFunction);

} // namespace nw
