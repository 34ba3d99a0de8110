// Resident blocks.
#include "analysis/occupancy.h"
#include <algorithm>
#include <limits>

namespace nw {

static long long roundedUp(long long value, long long step) {
  return step > 1 ? (value + step - 1) / step * step : value;
}

static long long warpsOf(const BlockNeeds &block, const DeviceSpec &device) {
  return (block.threads + device.warp - 1) / std::max(device.warp, 1);
}

// Blocks that the register file holds. It is given out to blocks as a whole, or to warps, of which
// each of the `warpGranularity` parts of the file holds its own.
static long long blocksByRegisters(const BlockNeeds &block, const DeviceSpec &device,
                                   long long plenty) {
  long long warps = warpsOf(block, device), ofWarp = (long long)block.registers * device.warp,
            parts = std::max(device.warpGranularity, 1);
  if (block.registers <= 0)
    return plenty;
  if (device.registerUnit == RegisterUnit::Block)
    return device.registers /
           roundedUp(roundedUp(warps, parts) * ofWarp, device.registerGranularity);
  return device.registers / parts / roundedUp(ofWarp, device.registerGranularity) * parts /
         std::max(warps, 1LL);
}

Occupancy occupancyOf(const BlockNeeds &block, const DeviceSpec &device) {
  Occupancy o;
  long long warps = warpsOf(block, device), plenty = std::numeric_limits<int>::max();
  long long shared =
      roundedUp(block.sharedBytes + device.sharedReservedPerBlock, device.sharedGranularity);
  o.blocksBy[int(Resource::Registers)] = blocksByRegisters(block, device, plenty);
  o.blocksBy[int(Resource::SharedMemory)] =
      shared ? device.sharedPerMultiprocessor / shared : plenty;
  o.blocksBy[int(Resource::Threads)] = device.residentThreads / std::max(warps * device.warp, 1LL);
  o.blocksBy[int(Resource::Blocks)] = device.residentBlocks;
  size_t scarcest = 0;
  for (size_t r = 1; r < o.blocksBy.size(); r++)
    scarcest = o.blocksBy[r] <= o.blocksBy[scarcest] ? r : scarcest;
  bool isTooLarge = block.threads > device.blockThreads ||
                    block.registers > device.registersPerThread ||
                    block.sharedBytes > device.sharedOptInBytes;
  o.limiter = Resource(scarcest);
  o.blocks = isTooLarge ? 0 : int(o.blocksBy[scarcest]);
  o.warps = int(o.blocks * warps);
  o.threads = o.blocks * block.threads;
  o.share = double(o.warps) * device.warp / std::max(device.residentThreads, 1);
  return o;
}

const char *nameOf(Resource resource) {
  static const char *const names[] = {"register file", "shared memory", "thread contexts",
                                      "thread blocks"};
  return names[int(resource)];
}

} // namespace nw
