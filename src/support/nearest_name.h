// For messages about a name that nobody has: what may have been meant.
#pragma once
#include <string>
#include <vector>

namespace nw {

// The one of the names that is written most like the word; empty where none is like it.
std::string nearestName(const std::string &word, const std::vector<std::string> &names);

} // namespace nw
