// Which integers generated code computes bounds and conditions with, and how large parameters may
// be so that nothing overflows: the device sees the conditions of the model, with factors that the
// source may have spread over wider types.
#pragma once
#include "poly/steps.h"

namespace nw {

struct IndexRange {
  Type type;           // int or a type of 64 bits
  long long limit = 0; // most that a parameter may be, also below zero
};

// `isWide`: 64 bits in any case. Throws the Diagnostic NW0206 where 64 bits are too few.
IndexRange indexRangeOf(const Program &program, const Schedule &schedule, bool isWide = false);

} // namespace nw
