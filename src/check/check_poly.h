// nestwarp check --poly: runs instrumented kernels and the same region in source order, and
// compares who wrote what every read found.
#pragma once
#include "check/check_harness.h"

namespace nw {

// Checks the regions of one function, and says how it went.
Verdict checkPoly(const Compilation &compilation, const CheckedFunction &function,
                  const CompileOptions &options, const std::map<std::string, std::string> &sizes);

} // namespace nw
