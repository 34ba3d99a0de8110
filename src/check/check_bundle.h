// Bundles of checks and measurements: what is written for another machine, and what is said of the
// results that come back.
#pragma once
#include "check/check_function.h"

namespace nw {

// Translates the files and writes the folder; the exit status of the command. `cubins` are the
// words of --cubin.
int writeCheckBundle(const std::string &folder, const std::vector<std::string> &files,
                     CompileOptions options, const CheckSettings &settings, int repeats,
                     const std::string &cubins, Watch &watch);
// Says what the results of a bundle have found; the exit status. `location` is the bundle's folder,
// or a file of results in it.
int importResults(const std::string &location);

} // namespace nw
