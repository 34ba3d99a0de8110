// Devices, plans and sizes.
#include "vary.h"
#include "plan/lines.h"
#include "plan/phases.h"
#include "plan/plan_fields.h"
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

// Draws every field of an object that its table gives values for; lists keep their lengths. What
// does not go together afterwards is for `settle`.
template <class Owner> static void drawFields(Owner &owner, Random &random) {
  Fields<Owner>::visit([&](const auto &field) {
    if (field.drawn.empty())
      return;
    auto &member = owner.*field.member;
    using Value = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::same_as<Value, std::vector<int>>)
      for (int &entry : member)
        entry = int(random.pick(field.drawn));
    else if constexpr (WholeNumber<Value> || std::same_as<Value, bool> || std::is_enum_v<Value>)
      member = Value(random.pick(field.drawn));
  });
}

// Blocks of which the device has none become smaller.
static void fitBlock(std::vector<int> &block, const DeviceSpec &device) {
  for (size_t d = block.size(); d-- > 0;) {
    int64_t others = 1;
    for (size_t e = 0; e < d; e++)
      others *= block[e];
    block[d] =
        int(std::clamp<int64_t>(block[d], 1, std::max<int64_t>(1, device.blockThreads / others)));
  }
}

// Memories that are allowed: global for all, constant where it fits.
static void varySpaces(std::vector<ArrayPlan> &arrays, const std::vector<ArrayFacts> &facts,
                       const DeviceSpec &device, Random &random) {
  int64_t left = device.constantBytes;
  int constants = 0;
  for (size_t k = 0; k < arrays.size(); k++) {
    ArrayPlan &a = arrays[k];
    const ArrayFacts &f = facts[k];
    bool canBeConstant =
        f.bytes && !f.isWrittenInRegion && *f.bytes <= left && constants < kMostConstantArrays;
    if (random.chance(25) || (a.space == MemorySpace::Constant && !canBeConstant))
      a.space = MemorySpace::Global;
    if (canBeConstant && random.chance(60))
      a.space = MemorySpace::Constant;
    if (a.space == MemorySpace::Constant) {
      left -= *f.bytes;
      constants++;
    }
  }
}

// The largest power of two that is not above the number.
static int power(int n) { return n < 2 ? 1 : 2 * power(n / 2); }

// The fields of the kernel itself, and how many dimensions its lists have.
static void varyKernel(KernelPlan &k, const StepFacts &facts, const DeviceSpec &device,
                       Random &random) {
  if (k.block.empty())
    return;
  size_t dimensions = k.grid.size();
  bool takesTile = facts.isParallel() && dimensions <= 2;
  KernelPlan drawn = k;
  drawn.block.assign(facts.isParallel() && dimensions > 1 && random.chance(75) ? 2 : 1, 1);
  drawn.threadTile.assign(takesTile && random.chance(75) ? dimensions : 0, 1);
  drawn.windowTile.assign(takesTile && random.chance(40) ? dimensions : 0, 1);
  drawFields(drawn, random);
  fitBlock(drawn.block, device);
  if (facts.kind == StepKind::Reduction)
    drawn.block[0] = power(drawn.block[0]);
  if (drawn.vectorBytes && !drawn.threadTile.empty())
    drawn.threadTile[0] = 1 << random.between(1, 2);
  if (!drawn.windowTile.empty())
    drawn.windowTile[0] = 1 << random.between(0, 2);
  drawn.vectorsProfitableFrom = drawn.windowsProfitableFrom = 1;
  if (random.chance(25)) // the rest as it was
    drawn.block = k.block;
  if (takesTile || facts.kind == StepKind::Reduction)
    k = drawn;
  else
    k.block = drawn.block;
}

static void varyTile(TilePlan &t, const DeviceSpec &device, Random &random) {
  t.block = t.threadTile = t.contiguous = {1, 1};
  drawFields(t, random);
  for (StagedArray &a : t.staged)
    drawFields(a, random);
  if (t.tail == Tail::Exact) { // for sizes that tiles divide: small powers of two
    t.block = {1 << random.between(0, 1), 1 << random.between(0, 1)};
    t.threadTile = {1 << random.between(0, 2), 1 << random.between(0, 2)};
    t.contiguous = {1, 1};
  }
  if (t.tail != Tail::Guard && random.chance(60)) // whole rounds of copies for every thread
    t.stripLength = 2 << random.between(0, 1);
  fitBlock(t.block, device);
  t.minBlocksPerSm = std::min(t.minBlocksPerSm, device.residentBlocks);
}

// Tiles that nobody proposed. Strips over loops that the step does not have, and arrays that cannot
// be staged, make no difference or no tiles.
static TilePlan madeUpTile(const KernelPlan &k, const StepFacts &facts,
                           const std::vector<std::string> &loops, Random &random) {
  TilePlan t;
  t.grid = k.grid;
  if (random.chance(30))
    std::swap(t.grid[0], t.grid[1]);
  if (facts.reduction && random.chance(70))
    t.strip = facts.reduction->loop.name;
  else if (random.chance(60))
    t.strip = random.pick(loops);
  for (const ArrayFacts &a : facts.arrays)
    if (random.chance(a.isWrittenInRegion ? 25 : 70))
      t.staged.push_back({a.name});
  return t;
}

// Forms of tiles for a step of two dimensions: the proposed ones in other sizes, and others.
static void varyTiles(KernelPlan &k, const StepFacts &facts, const std::vector<std::string> &loops,
                      const DeviceSpec &device, Random &random) {
  if (random.chance(k.tiles.empty() ? 50 : 15)) {
    k.tiles.clear();
    return;
  }
  std::vector<TilePlan> forms;
  for (TilePlan t : k.tiles)
    if (random.chance(70)) {
      if (random.chance(30) && t.grid.size() > 1)
        std::swap(t.grid[0], t.grid[1]);
      if (random.chance(20))
        t.staged.clear();
      if (random.chance(15) && t.grid.size() == k.grid.size())
        t.strip.clear();
      forms.push_back(t);
    }
  while (forms.empty() || (forms.size() < 3 && random.chance(30)))
    forms.push_back(madeUpTile(k, facts, loops, random));
  for (TilePlan &t : forms) {
    varyTile(t, device, random);
    if (t.grid.size() == 1)
      t.block[1] = t.threadTile[1] = t.contiguous[1] = 1;
  }
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

static BlockReductionPlan anyReduction(const StepFacts &facts, const DeviceSpec &device,
                                       Random &random) {
  BlockReductionPlan s;
  drawFields(s, random);
  s.loop = facts.reduction->loop.name;
  bool isForLines = facts.whyNotLineAligned.empty() && device.blockThreads >= kThreadsOfALine &&
                    random.chance(60); // few programs have such rows
  bool inPhases = facts.reduction->inPhases;
  s.axis = isForLines || inPhases || random.chance(50) ? ThreadAxis::X : ThreadAxis::Y;
  s.block = {1, 1};
  size_t along = size_t(s.axis);
  int &shared = s.block[along], &others = s.block[1 - along];
  while (shared * 2 <= device.blockThreads && random.chance(65))
    shared *= 2;
  if (isForLines)
    shared = kThreadsOfALine;
  s.lineAligned &= isForLines;
  others = random.between(1, std::max(1, std::min(device.blockThreads / shared, 7)));
  while (inPhases && others > 1 && !fitsSharedMemory(*facts.reduction, s.block, device))
    others--;
  if (s.axis == ThreadAxis::Y && facts.grid.size() == 1 && random.chance(60))
    s.block.push_back(random.between(1, int(std::min<long long>(4, device.gridLimit[1]))));
  return s;
}

void varyPlan(Plan &plan, const RegionFacts &facts, const DeviceSpec &device, Random &random) {
  if (random.chance(60))
    drawFields(plan, random);
  for (LoopPlan &l : plan.loops)
    if (l.form == LaunchMode::Resident) // where it is possible
      drawFields(l, random);
  std::vector<std::string> loops = loopsOf(plan);
  for (size_t n = 0; n < plan.kernels.size(); n++) {
    KernelPlan &k = plan.kernels[n];
    const StepFacts &f = facts[n];
    for (size_t d = k.grid.size(); d > 1; d--)
      if (random.chance(50))
        std::swap(k.grid[d - 1], k.grid[random.below(int(d))]);
    varySpaces(k.arrays, f.arrays, device, random);
    if (random.chance(80))
      varyKernel(k, f, device, random);
    if (f.isParallel() && k.grid.size() == 2)
      varyTiles(k, f, loops, device, random);
    if (f.reduction && random.chance(80)) {
      k.blockReductions.clear();
      do
        k.blockReductions.push_back(anyReduction(f, device, random));
      while (k.blockReductions.size() < 3 && random.chance(30));
    } else if (random.chance(50))
      k.blockReductions.clear();
    k.fuse.reset();
    bool isTaken = n > 0 && plan.kernels[n - 1].fuse;
    if (f.fusion && !isTaken && random.chance(90) && device.blockThreads >= 32) {
      k.fuse = FusePlan{};
      k.fuse->profitableFrom = {0, 0};
      drawFields(*k.fuse, random);
      k.fuse->with = plan.kernels[n + 1].name;
    }
    settle(k);
  }
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
