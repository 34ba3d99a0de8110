// Whether the code of an instance in a final kernel is the statement of the source, with iterators
// replaced by the instance's values.
#pragma once
#include "verify/readers/positions.h"

namespace nw {

// Nothing where it is; otherwise what differs.
std::optional<std::string> bodyDifference(const Program &program, const SchedulePosition &position);

} // namespace nw
