// --save-temps=DIR: all that another machine needs to build the program with a C compiler alone.
#pragma once
#include "driver/compiler_line.h"

namespace nw {

// Writes the runtime, the headers of the line's sources and build.sh into `directory`. `saved` are
// the files of the program that are there already.
void writeBuildScript(const CompilerLine &line, const std::string &directory,
                      const std::vector<std::string> &saved);

} // namespace nw
