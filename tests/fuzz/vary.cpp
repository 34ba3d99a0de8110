// Devices, plans and sizes.
#include "vary.h"
#include <algorithm>

namespace nw::fuzz {

DeviceSpec randomDevice(Random &random) {
  DeviceSpec d;
  d.name = "random";
  if (random.chance(15))
    return commonDevice();
  d.warp = random.pick(std::vector<int>{1, 2, 4, 8, 8, 16, 32});
  d.blockThreads = std::max(d.warp, random.pick(std::vector<int>{4, 8, 16, 16, 32, 64, 128}));
  d.preferredBlock = std::max(d.warp, d.blockThreads >> random.below(3));
  d.gridLimit[1] = random.pick(std::vector<long long>{1, 2, 3, 65535});
  d.multiprocessors = random.between(1, 4);
  return d;
}

// Memories that are allowed: global for all, constant where it fits.
static void varySpaces(std::vector<ArrayPlan> &arrays, const DeviceSpec &device, Random &random) {
  int64_t left = device.constantBytes;
  int constants = 0;
  for (ArrayPlan &a : arrays) {
    bool canBeConstant = a.bytes && !a.isWrittenInRegion && *a.bytes <= left && constants < kMostConstantArrays;
    if (random.chance(25) || (a.space == MemorySpace::Constant && !canBeConstant))
      a.space = MemorySpace::Global;
    if (canBeConstant && random.chance(60))
      a.space = MemorySpace::Constant;
    if (a.space == MemorySpace::Constant) {
      left -= *a.bytes;
      constants++;
    }
  }
}

// Points of a thread: none, some along both dimensions, or neighbours with wide accesses.
static void varyPoints(KernelPlan &k, Random &random) {
  k.points.clear();
  k.vectors = 0;
  k.vectorsFrom = 1;
  if (random.chance(25))
    return;
  bool isWide = random.chance(60);
  k.points.push_back(isWide ? 1 << random.between(1, 2) : random.between(1, 4));
  if (k.grid.size() > 1)
    k.points.push_back(random.between(1, 4));
  if (isWide)
    k.vectors = 1 << random.between(2, 4);
}

void varyPlan(Plan &plan, const DeviceSpec &device, Random &random) {
  for (KernelPlan &k : plan.kernels) {
    for (size_t d = k.grid.size(); d > 1; d--)
      if (random.chance(50))
        std::swap(k.grid[d - 1], k.grid[random.below(int(d))]);
    varySpaces(k.arrays, device, random);
    if (k.block.empty())
      continue;
    if (k.kind == "reduction") {
      int size = 1;
      while (size * 2 <= device.blockThreads && random.chance(70))
        size *= 2;
      k.block = {size};
    } else if (random.chance(70)) {
      k.block = {random.between(1, std::min(device.blockThreads, 40))};
      if (k.grid.size() > 1 && random.chance(75))
        k.block.push_back(random.between(1, std::max(1, std::min(device.blockThreads / k.block[0], 12))));
    }
    if (k.kind == "parallel" && k.grid.size() <= 2 && random.chance(75))
      varyPoints(k, random);
  }
  for (KernelPlan &k : plan.kernels)
    if (k.spreadable && random.chance(80)) {
      SpreadPlan s;
      s.loop = *k.spreadable;
      s.axis = random.below(2);
      s.block = {1, 1};
      int &shared = s.block[size_t(s.axis)], &others = s.block[size_t(1 - s.axis)];
      while (shared * 2 <= device.blockThreads && random.chance(65))
        shared *= 2;
      others = random.between(1, std::max(1, std::min(device.blockThreads / shared, 7)));
      if (s.axis == 1 && random.chance(60))
        s.block.push_back(random.between(1, int(std::min<long long>(4, device.gridLimit[1]))));
      s.from = random.chance(50) ? 0 : random.between(0, 9);
      k.spread = s;
    } else if (random.chance(50))
      k.spread.reset();
  for (LoopPlan &l : plan.loops)
    if (random.chance(25))
      l.form = LaunchForm::Plain;
  if (random.chance(60))
    plan.reductionBlocks = random.between(1, 5);
}

std::vector<Sizes> randomSizes(const Program &program, Random &random, int count, long long mostInstances) {
  std::vector<Sizes> all;
  for (int k = 0; k < count; k++) {
    int most = k == 0 ? 3 : program.largestSize;
    Sizes sizes;
    for (const std::string &name : program.sizes)
      sizes[name] = k == 2 ? program.largestSize - random.below(2) : random.between(1, most);
    while (instancesOf(program, sizes) > mostInstances) {
      auto widest = std::max_element(sizes.begin(), sizes.end(), [](auto &a, auto &b) { return a.second < b.second; });
      if (widest->second <= 1)
        break;
      widest->second = widest->second * 3 / 4;
    }
    all.push_back(sizes);
  }
  return all;
}

} // namespace nw::fuzz
