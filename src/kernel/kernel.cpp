// Questions about Kernels.
#include "kernel/kernel.h"
#include <algorithm>

namespace nw {

bool hasChoice(const HostStep &s) { return s.kind == HostKind::Choose || std::any_of(s.children.begin(), s.children.end(), hasChoice); }

} // namespace nw
