// Reads the kernels of a CUDA file as they are written, each on its own, with the shapes of blocks
// that launches and annotations tell. It names nothing of Clang.
#pragma once
#include "frontend/c/c_frontend.h"
#include "ir/written_kernel.h"

namespace nw {

written::File readKernels(const ParseRequest &request);

} // namespace nw
