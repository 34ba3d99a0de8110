// The two kernels of a reduction over all instances: a partial result for each block, then the
// reduction of those by one block. The order is fixed, so that results do not change from run to
// run.
#pragma once
#include "ir/program.h"

namespace nw {

struct ReductionCode {
  StmtP reduce, combine;
};

// `instance` is the code for the instance number `instance`; `instanceCount` is how many there are.
// The first kernel has blocks of so many threads, each of which leaves its result in the buffer of
// that name.
ReductionCode reductionCode(const Reduction &reduction, const StmtP &instance,
                            const ExprP &instanceCount, const std::string &partialName);

// The same within a resident kernel: the first block reduces alone, while the others wait at the
// next barrier.
StmtP residentReduction(const Reduction &reduction, const StmtP &instance,
                        const ExprP &instanceCount, int threads, int rows);

} // namespace nw
