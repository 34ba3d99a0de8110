// How many blocks of a kernel one multiprocessor holds at a time, and which resource runs out first
// (principles, section 3.2: registers, shared memory, threads or blocks, whichever limit is reached
// first).
#pragma once
#include "device/device_spec.h"
#include <array>

namespace nw {

// What one block of a kernel takes.
struct BlockNeeds {
  int threads = 1;
  int registers = 0; // per thread
  int64_t sharedBytes = 0;
};

enum class Resource { Registers, SharedMemory, Threads, Blocks };

struct Occupancy {
  int blocks = 0;             // resident on one multiprocessor; 0: one block does not even fit
  int warps = 0, threads = 0; // of those blocks; warps that are not full count as warps
  std::array<long long, 4> blocksBy =
      {}; // how many each resource alone would hold, in the order of Resource
  Resource limiter =
      Resource::Blocks; // the scarcest; among equals the last in the order of Resource
  double share = 0;     // warps, of those that the device can hold
};

Occupancy occupancyOf(const BlockNeeds &block, const DeviceSpec &device);

// In the words of the paper: "register file", "shared memory", "thread contexts", "thread blocks".
const char *nameOf(Resource resource);

} // namespace nw
