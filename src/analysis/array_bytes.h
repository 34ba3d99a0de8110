// How much memory an array takes, where that is the same for all sizes: for memories that are
// small.
#pragma once
#include "ir/program.h"

namespace nw {

// Bytes from the array's first element to the last that the program can touch. Nothing where that
// depends on a parameter or on data, where rows have no constant length, and where something in
// front of the first element is touched.
std::optional<int64_t> constantBytesOf(const Program &program, const std::string &array);

} // namespace nw
