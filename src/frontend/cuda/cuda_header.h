// What a CUDA source needs of a toolkit's headers to be parsed, for machines that have none.
#pragma once
#include <string>

namespace nw {

// The declarations: keywords, indices, types, functions of devices, and calls of the runtime that
// host code makes.
std::string cudaHeader();

} // namespace nw
