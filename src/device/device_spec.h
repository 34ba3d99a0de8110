// What a device is, as plain data. The planner and the analyses take their numbers from here and nowhere else.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nw {

struct DeviceSpec {
  std::string name;
  int warp = 32;                 // threads that run in step
  int blockThreads = 1024;       // most threads of a block
  int preferredBlock = 256;      // threads of a block when nothing speaks against it
  long long gridLimit[3] = {2147483647, 65535, 65535};
  int multiprocessors = 1;
  int residentThreads = 2048;    // per multiprocessor
  int64_t sharedBytes = 49152;   // most shared memory of a block, without opting in to more
};

// The devices that the tool knows by name. The first is the default target of --target=cuda.
const std::vector<DeviceSpec> &deviceCatalogue();
const DeviceSpec *findDevice(const std::string &name);
// Limits that hold on every device of the catalogue: what portable kernels are planned for.
DeviceSpec commonDevice();

} // namespace nw
