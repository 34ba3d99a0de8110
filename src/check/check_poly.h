// nestwarp check --poly: runs instrumented kernels and the same region in source order, and
// compares who wrote what every read found.
#pragma once
#include "check/check_harness.h"
#include "check/check_settings.h"

namespace nw {

// Checks the regions of one function, with each set of sizes, and says how it went.
Verdict checkPoly(const Compilation &compilation, const CheckedFunction &function,
                  const CompileOptions &options, const std::vector<CheckSettings> &runs);

} // namespace nw
