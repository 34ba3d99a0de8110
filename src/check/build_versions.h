// Builds what check compares: the original, the same in wider types, the generated code, and the
// driver that runs them.
#pragma once
#include "check/check_function.h"

namespace nw {

// Without optimizations where `quick`. Accesses are recorded where there is a `recorded` source.
// `shared` is a directory for what is the same for all functions.
void buildVersions(const Compilation &c, const CheckedFunction &f, const CompileOptions &o,
                   const CheckSettings &s, const std::string *recorded,
                   const std::string &directory, const std::string &shared, bool quick);

} // namespace nw
