// The result of a probe becomes files: the device description, the curves as drawings, and a page
// about them.
#pragma once
#include <string>

namespace nw {

// Writes DEVICE.json, a drawing for each curve and probe.md into the folder, which is made if it is
// not there; returns the path of the description. An empty name is made from the driver's.
std::string importProbe(const std::string &file, const std::string &folder,
                        const std::string &name);

} // namespace nw
