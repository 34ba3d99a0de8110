// The catalogue. (Shared memory, banks and rates join it with the analyses that need them.)
#include "device/device_spec.h"
#include <algorithm>

namespace nw {

const std::vector<DeviceSpec> &deviceCatalogue() {
  static const std::vector<DeviceSpec> all = {
      {"h200", 32, 1024, 256, {2147483647, 65535, 65535}, 132, 2048, 49152},
      {"h100", 32, 1024, 256, {2147483647, 65535, 65535}, 132, 2048, 49152},
      {"a100", 32, 1024, 256, {2147483647, 65535, 65535}, 108, 2048, 49152},
      {"gtx-titan", 32, 1024, 256, {2147483647, 65535, 65535}, 14, 2048, 49152},
      {"cpu", 1, 4096, 256, {2147483647, 2147483647, 2147483647}, 2, 4096, 49152},
  };
  return all;
}

const DeviceSpec *findDevice(const std::string &name) {
  for (const DeviceSpec &d : deviceCatalogue())
    if (d.name == name)
      return &d;
  return nullptr;
}

DeviceSpec commonDevice() {
  DeviceSpec common = deviceCatalogue().front();
  common.name = "any";
  for (const DeviceSpec &d : deviceCatalogue()) {
    common.warp = std::max(common.warp, d.warp);
    common.blockThreads = std::min(common.blockThreads, d.blockThreads);
    common.preferredBlock = std::min(common.preferredBlock, d.preferredBlock);
    common.sharedBytes = std::min(common.sharedBytes, d.sharedBytes);
    for (int k = 0; k < 3; k++)
      common.gridLimit[k] = std::min(common.gridLimit[k], d.gridLimit[k]);
  }
  return common;
}

} // namespace nw
