// What the user can change, in the source or in how it is called, to make a region faster.
#pragma once
#include "report/explanation.h"

namespace nw {

// What would help most comes first; never empty.
std::vector<std::string> adviceFor(const ExplainedRegion &region, const DeviceSpec &device);

} // namespace nw
