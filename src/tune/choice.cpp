// The choice among results.
#include "tune/choice.h"
#include <algorithm>

namespace nw {

namespace {

// Devices of a back end, in the order of their newest results.
std::vector<std::string> devicesOf(const std::vector<TunedResult> &all,
                                   const std::string &backend) {
  std::vector<std::string> devices;
  for (const TunedResult &r : all)
    if (r.backend == backend &&
        std::find(devices.begin(), devices.end(), r.device) == devices.end())
      devices.push_back(r.device);
  return devices;
}

std::optional<TunedResult> nearestOf(const std::vector<TunedResult> &all,
                                     const std::string &backend, const std::string &device,
                                     const Sizes &wanted) {
  std::vector<TunedResult> own;
  std::vector<Sizes> known;
  for (const TunedResult &r : all)
    if (r.backend == backend && r.device == device) {
      own.push_back(r);
      known.push_back(r.sizes);
    }
  std::optional<size_t> at = nearest(known, wanted);
  return at ? std::optional(own[*at]) : std::nullopt;
}

} // namespace

std::optional<TunedResult> resultFor(const std::vector<TunedResult> &all,
                                     const std::string &backend, const Sizes &wanted) {
  for (const std::string &b :
       backend.empty() ? std::vector<std::string>{"cuda", "opencl"} : std::vector{backend})
    for (const std::string &device : devicesOf(all, b))
      if (std::optional<TunedResult> found = nearestOf(all, b, device, wanted))
        return found;
  return std::nullopt;
}

} // namespace nw
