// Devices, plans and sizes.
#include "vary.h"
#include "plan/lines.h"
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
    bool canBeConstant =
        a.bytes && !a.isWrittenInRegion && *a.bytes <= left && constants < kMostConstantArrays;
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
  k.windows.clear();
  k.windowsFrom = 1;
  k.frame = random.chance(50) ? 1 : 0;
  if (random.chance(40)) {
    k.windows.push_back(1 << random.between(0, 2));
    if (k.grid.size() > 1)
      k.windows.push_back(random.between(1, 4));
  }
  if (random.chance(25))
    return;
  bool isWide = random.chance(60);
  k.points.push_back(isWide ? 1 << random.between(1, 2) : random.between(1, 4));
  if (k.grid.size() > 1)
    k.points.push_back(random.between(1, 4));
  if (isWide)
    k.vectors = 1 << random.between(2, 4);
}

// A block of tiles, and the points of its threads. Small, so that small sizes have several tiles
// and edges.
static void varyTile(TilePlan &t, const DeviceSpec &device, Random &random) {
  int most = std::min(device.blockThreads, 32);
  int x = random.between(1, std::min(most, 8));
  t.block = {x, random.between(1, std::max(1, std::min(most / x, 6)))};
  t.points = {random.between(1, 4), random.between(1, 4)};
  t.run.clear();
  for (int points : t.points) {
    int run = random.between(1, points);
    while (points % run != 0)
      run--;
    t.run.push_back(run);
  }
  t.together = random.between(1, std::min(device.residentBlocks, 3));
  t.least = random.chance(60) ? 0 : random.between(0, 4);
  if (!t.strip.empty()) {
    t.length = random.between(1, 5);
    t.ahead = random.between(0, 1);
    t.buffers = random.between(1, 2);
    t.async = 0;
    if (t.buffers == 2 && random.chance(40)) {
      t.async = 1;
      t.ahead = 0;
    }
  }
  t.vectors = 0;
  if (!t.async && !t.staged.empty() &&
      random.chance(40)) { // for sizes that tiles divide: small powers of two
    t.vectors = 8 << random.between(0, 1);
    t.block = {1 << random.between(0, 1), 1 << random.between(0, 1)};
    t.points = {1 << random.between(0, 2), 1 << random.between(0, 2)};
    t.run = {1, 1};
    t.length = t.strip.empty() ? 0 : 2 << random.between(0, 1);
  }
  t.inside = !t.vectors && !t.async && !t.strip.empty() && !t.staged.empty() && random.chance(40);
  if (t.inside && random.chance(60)) // whole rounds of copies for every thread
    t.length = 2 << random.between(0, 1);
  for (StagedArray &a : t.staged) {
    a.padding = random.chance(50) ? 0 : random.between(1, 5);
    a.swizzle = random.chance(60) ? 0 : 1 << random.between(1, 3);
  }
}

// Tiles that nobody proposed. Strips over loops that the step does not have, and arrays that cannot
// be staged, make no difference or no tiles.
static TilePlan madeUpTile(const KernelPlan &k, const std::vector<std::string> &loops,
                           Random &random) {
  TilePlan t;
  t.grid = k.grid;
  if (random.chance(30))
    std::swap(t.grid[0], t.grid[1]);
  if (k.spreadable && random.chance(70))
    t.strip = *k.spreadable;
  else if (random.chance(60))
    t.strip = random.pick(loops);
  for (const ArrayPlan &a : k.arrays)
    if (random.chance(a.isWrittenInRegion ? 25 : 70))
      t.staged.push_back({a.name, 0});
  return t;
}

// Forms of tiles for a step of two dimensions: the proposed ones in other sizes, and others.
static void varyTiles(KernelPlan &k, const std::vector<std::string> &loops,
                      const DeviceSpec &device, Random &random) {
  if (random.chance(k.tiles.empty() ? 50 : 15)) {
    k.tiles.clear();
    return;
  }
  std::vector<TilePlan> forms;
  for (TilePlan t : k.tiles)
    if (random.chance(70)) {
      if (random.chance(30))
        std::swap(t.grid[0], t.grid[1]);
      if (random.chance(20))
        t.staged.clear();
      if (random.chance(15)) {
        t.strip.clear();
        t.length = t.ahead = 0;
        t.buffers = 1;
      }
      forms.push_back(t);
    }
  while (forms.empty() || (forms.size() < 3 && random.chance(30)))
    forms.push_back(madeUpTile(k, loops, random));
  for (TilePlan &t : forms)
    varyTile(t, device, random);
  k.tiles = forms;
}

// Names of loops that a step may have inside.
static std::vector<std::string> loopsOf(const Plan &plan) {
  std::vector<std::string> all = {"i", "j", "k", "l", "p"}; // as generate.cpp calls them
  for (const KernelPlan &k : plan.kernels) {
    all.insert(all.end(), k.grid.begin(), k.grid.end());
    for (const std::string &name : k.grid)
      all.push_back(name + "_2");
  }
  return all;
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
        k.block.push_back(
            random.between(1, std::max(1, std::min(device.blockThreads / k.block[0], 12))));
    }
    if (k.kind == "parallel" && k.grid.size() <= 2 && random.chance(75))
      varyPoints(k, random);
  }
  std::vector<std::string> loops = loopsOf(plan);
  for (KernelPlan &k : plan.kernels)
    if (k.kind == "parallel" && k.grid.size() == 2)
      varyTiles(k, loops, device, random);
  for (KernelPlan &k : plan.kernels)
    if (k.spreadable && random.chance(80)) {
      SpreadPlan s;
      s.loop = *k.spreadable;
      bool isForLines = k.lineless.empty() && device.blockThreads >= kThreadsOfALine &&
                        random.chance(60); // few programs have such rows
      s.axis = isForLines ? 0 : random.below(2);
      s.block = {1, 1};
      int &shared = s.block[size_t(s.axis)], &others = s.block[size_t(1 - s.axis)];
      while (shared * 2 <= device.blockThreads && random.chance(65))
        shared *= 2;
      if (isForLines)
        shared = kThreadsOfALine;
      s.lines = isForLines && random.chance(80);
      others = random.between(1, std::max(1, std::min(device.blockThreads / shared, 7)));
      if (s.axis == 1 && random.chance(60))
        s.block.push_back(random.between(1, int(std::min<long long>(4, device.gridLimit[1]))));
      s.from = random.chance(50) ? 0 : random.between(0, 9);
      k.spread = s;
    } else if (random.chance(50))
      k.spread.reset();
  for (size_t n = 0; n < plan.kernels.size(); n++) {
    KernelPlan &k = plan.kernels[n];
    k.join.reset();
    bool isTaken = n > 0 && plan.kernels[n - 1].join;
    if (k.joinable && !isTaken && random.chance(90) && device.blockThreads >= 32)
      k.join = JoinPlan{*k.joinable,
                        32,
                        random.between(1, 4),
                        random.between(1, kMostJoinedRows),
                        random.between(1, 4),
                        {random.between(0, 2),
                         random.chance(70) ? random.between(0, 2) : 32 * random.between(1, 3)}};
  }
  for (LoopPlan &l : plan.loops)
    if (random.chance(25))
      l.form = LaunchForm::Plain;
  if (random.chance(60))
    plan.reductionBlocks = random.between(1, 5);
}

std::vector<Sizes> randomSizes(const Program &program, Random &random, int count,
                               long long mostInstances) {
  std::vector<Sizes> all;
  for (int k = 0; k < count; k++) {
    int most = k == 0 ? 3 : program.largestSize;
    Sizes sizes;
    for (const std::string &name : program.sizes)
      sizes[name] = k == 2 ? program.largestSize - random.below(2) : random.between(1, most);
    while (instancesOf(program, sizes) > mostInstances) {
      auto widest = std::max_element(sizes.begin(), sizes.end(),
                                     [](auto &a, auto &b) { return a.second < b.second; });
      if (widest->second <= 1)
        break;
      widest->second = widest->second * 3 / 4;
    }
    all.push_back(sizes);
  }
  return all;
}

} // namespace nw::fuzz
