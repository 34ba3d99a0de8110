// The functions of math.h and stdlib.h that devices have too, under the name that trees use for
// them.
#pragma once
#include <optional>
#include <string>

namespace nw {

// The tree's name: that of the double version for both float and double (the node's type tells them
// apart).
std::optional<std::string> mathFunction(const std::string &name);

} // namespace nw
