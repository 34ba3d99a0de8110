// From a probe's result to a device description, and to sentences about what its curves show.
#pragma once
#include "device/device_spec.h"
#include "device/probe_result.h"

namespace nw {

// The description starts from the catalogue's device that is most like the one probed; what the
// driver said and what was measured replaces its numbers; fields that nobody looked at are listed
// as estimated. An empty name is made from the driver's. Throws UserError when the numbers make no
// device.
DeviceSpec deviceFromProbe(const ProbeResult &result, const std::string &file,
                           const std::string &name = "");

// Which of the effects that the papers measured can be seen, one sentence each.
std::vector<std::string> findingsOf(const ProbeResult &result);

} // namespace nw
