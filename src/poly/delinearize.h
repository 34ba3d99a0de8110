// Rows for flattened arrays: a program that has A[i * n + j] everywhere becomes one with A[i][j],
// whose rows have n elements, so that all that comes after it sees an ordinary array of rows, and
// can stage its tiles and widen its accesses.
//
// It is a rewriting of the Program and not of the Region: the Region stays what the source says, so
// that the interpreter and `check` run the one subscript and find out where the others are wrong;
// and the Program before is still there, which the verifier holds this one against for all sizes.
// That subscripts stay in their rows is not a promise of the source's, as it is for declared rows:
// it was assumed when the rows were recovered, and is tested at run time like all assumptions
// (isDelinearized).
#pragma once
#include "ir/program.h"

namespace nw {

// Nothing where no array has flattened subscripts that can be taken apart.
std::optional<Program> delinearized(const Program &program);

} // namespace nw
