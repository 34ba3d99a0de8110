// The parts of the check of partial results, one by one.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// In what the code differs from the kernel's but for elements of buffers in place of what it leaves
// and takes; nothing where it does the same.
std::string wrongPartialResults(const Kernel &kernel, const StmtP &code);

} // namespace nw
