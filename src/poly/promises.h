// What the source promises about loops (OpenACC's independent and seq; threads of a CUDA kernel),
// in terms of instances. A promise is about elements of arrays: scalars are seen exactly, so what
// the analysis finds of them holds.
#pragma once
#include "ir/program.h"
#include "support/diagnostics.h"

namespace nw {

// Whether promises are about this array: the user's memory, and no scalar.
bool isPromised(const Array &array);

// The pairs of instances without those in different iterations of a loop that is promised to be
// independent, of the same iterations of the loops around it.
isl::map withoutPromised(const Program &program, const Statement &from, const Statement &to,
                         const isl::map &pairs);

// All pairs of instances that a loop which stays in order puts in order, for loops that are to.
isl::union_map askedOrder(const Program &program);

// Promises that are false for every size that is large enough to be meant, as far as subscripts
// alone show it, are taken back, in the loops and in the region's trees.
struct FalsePromise {
  Location at;       // of the loop
  std::string array; // of which different iterations touch the same elements
};
std::vector<FalsePromise> takeBackFalsePromises(Program &program);
Diagnostic asDiagnostic(const FalsePromise &promise); // NW0304

// A statement that reduces along a loop which stays in order is not a reduction: its steps are not
// to swap.
void keepAskedOrder(Program &program);

} // namespace nw
