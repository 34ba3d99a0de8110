// Strips of rows through shared memory, for threads that walk along a row each: neighbouring
// threads would touch elements that lie a row apart. A block brings a strip of its rows to shared
// memory, or from there, with neighbouring threads at neighbouring elements; loads alone, stores
// alone, or both, which takes twice the memory. (lite)
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"

namespace nw {

struct StripForm {
  std::string what; // loads, stores or both
  TilePlan tiles;
};

// The forms that the step can have; none where no thread walks along rows. `grid`: the step's
// dimensions.
std::vector<StripForm> rowStrips(const Program &program, const Step &step,
                                 const std::vector<std::string> &grid, const DeviceSpec &device);

} // namespace nw
