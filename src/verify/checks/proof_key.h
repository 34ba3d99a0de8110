// A kernel as text, but for the names that it chooses: kernels with the same text share one proof.
#pragma once
#include "kernel/kernel.h"

namespace nw {

std::string proofKey(const Kernel &kernel);

} // namespace nw
