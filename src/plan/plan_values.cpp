// Values worth a try, from what was fastest for some kernel on some device.
#include "plan/plan_values.h"
#include "plan/facts.h"
#include "plan/lines.h"
#include <algorithm>

namespace nw {

namespace {

using Numbers = std::vector<int>;

std::vector<Numbers> fitting(std::vector<Numbers> blocks, int fewest, const DeviceSpec &device) {
  std::erase_if(blocks, [&](const Numbers &b) {
    return b[0] * b[1] > device.blockThreads || b[0] * b[1] < fewest;
  });
  return blocks;
}

// Whether the plain kernel of a parallel step is worth tuning: with a block reduction, it is for
// short loops alone.
bool isPlainTuned(const KnobSite &site) {
  return site.facts->isParallel() && site.kernel->blockReductions.empty();
}

bool takesTile(const KnobSite &site) { return isPlainTuned(site) && site.kernel->grid.size() <= 2; }

bool isFlat(const KnobSite &site) { return site.kernel->grid.size() < 2; }

int scaled(int number, int by) { return by < 0 ? number / -by : number * by; }

} // namespace

std::vector<Numbers> blocksToTry(const KnobSite &site, const Numbers &proposed) {
  if (site.facts->kind == StepKind::Reduction)
    return {{64}, {128}, {256}, {512}, {1024}};
  if (!isPlainTuned(site))
    return {};
  if (isFlat(site) || proposed.size() < 2) {
    std::vector<Numbers> blocks;
    for (int n = 32; n <= site.device.blockThreads; n *= 2)
      blocks.push_back({n});
    return blocks;
  }
  std::vector<Numbers> blocks = {{32, 4},  {32, 8},  {32, 16}, {32, 32}, {64, 2},  {64, 4},
                                 {64, 8},  {128, 1}, {128, 2}, {128, 4}, {256, 1}, {256, 2},
                                 {512, 1}, {16, 8},  {16, 16}, {8, 32}};
  if (site.device.kind == DeviceKind::Cpu || proposed[0] == 1)
    blocks.insert(blocks.end(),
                  {{1, 64}, {1, 128}, {1, 256}, {1, 512}, {1024, 1}, {8, 8}, {4, 64}});
  return fitting(blocks, 64, site.device);
}

std::vector<Numbers> threadTilesToTry(const KnobSite &site, const Numbers &) {
  if (!takesTile(site))
    return {};
  if (site.kernel->vectorBytes > 0)
    return isFlat(site) ? std::vector<Numbers>{{}, {2}, {4}, {8}, {16}}
                        : std::vector<Numbers>{{},     {2, 1}, {4, 1}, {8, 1}, {2, 2}, {4, 2},
                                               {8, 2}, {4, 4}, {8, 4}, {4, 8}, {8, 8}};
  if (!site.kernel->tiles.empty())
    return {};
  return isFlat(site) ? std::vector<Numbers>{{}, {2}, {4}}
                      : std::vector<Numbers>{{}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {4, 1}, {1, 8}};
}

std::vector<Numbers> windowTilesToTry(const KnobSite &site, const Numbers &proposed) {
  if (!takesTile(site) || proposed.empty())
    return {};
  return isFlat(site)
             ? std::vector<Numbers>{{}, {2}, {4}, {8}}
             : std::vector<Numbers>{{}, {1, 2}, {1, 4}, {2, 2}, {2, 4}, {4, 2}, {4, 4}, {1, 8}};
}

std::vector<int> accessBytesToTry(const KnobSite &site, const int &proposed) {
  return takesTile(site) && proposed > 0 ? Numbers{0, 4, 8, 16} : Numbers{};
}

std::vector<bool> boundaryKernelsToTry(const KnobSite &site, const bool &) {
  bool hasWindows = site.kernel->vectorBytes > 0 || !site.kernel->windowTile.empty();
  return takesTile(site) && hasWindows ? std::vector<bool>{false, true} : std::vector<bool>{};
}

std::vector<Numbers> tileBlocksToTry(const KnobSite &site, const Numbers &) {
  return fitting(
      {{16, 16}, {32, 8}, {8, 32}, {16, 8}, {8, 16}, {32, 4}, {32, 16}, {16, 32}, {64, 4}, {8, 8}},
      64, site.device);
}

std::vector<Numbers> reducingBlocksToTry(const KnobSite &site, const Numbers &proposed) {
  std::vector<Numbers> blocks;
  if (site.facts->reduction && site.facts->reduction->inPhases)
    return fitting({{32, 1},
                    {64, 1},
                    {128, 1},
                    {256, 1},
                    {512, 1},
                    {1024, 1},
                    {32, 2},
                    {32, 4},
                    {32, 8},
                    {32, 16},
                    {64, 2},
                    {64, 4},
                    {128, 2}},
                   32, site.device);
  for (size_t d = 0; d < proposed.size(); d++)
    for (int by : {-4, -2, 2, 4}) {
      blocks.push_back(proposed);
      blocks.back()[d] = scaled(proposed[d], by);
    }
  for (auto [x, y] : {std::pair{2, -2}, {-2, 2}, {4, -4}, {-4, 4}, {8, -8}}) {
    blocks.push_back(proposed);
    blocks.back()[0] = scaled(proposed[0], x);
    blocks.back()[1] = scaled(proposed[1], y);
  }
  std::erase_if(
      blocks, [](const Numbers &b) { return std::ranges::any_of(b, [](int n) { return n < 1; }); });
  return fitting(blocks, 32, site.device);
}

std::vector<bool> lineAlignmentsToTry(const KnobSite &, const bool &proposed) {
  return proposed ? std::vector<bool>{false, true} : std::vector<bool>{};
}

std::vector<int> stripLengthsToTry(const KnobSite &site, const int &) {
  return site.tile->strip.empty() ? Numbers{} : Numbers{4, 8, 16, 32};
}

std::vector<int> stagesToTry(const KnobSite &site, const int &) {
  return site.tile->strip.empty() ? Numbers{} : Numbers{1, 2};
}

std::vector<int> prefetchesToTry(const KnobSite &site, const int &) {
  return site.tile->strip.empty() ? Numbers{} : Numbers{0, 1};
}

std::vector<Tail> tailsToTry(const KnobSite &site, const Tail &proposed) {
  if (proposed == Tail::Exact || site.tile->strip.empty() || site.tile->staged.empty())
    return {};
  return {Tail::Guard, Tail::ShiftInwards};
}

std::vector<int> copyBytesToTry(const KnobSite &, const int &proposed) {
  return proposed ? Numbers{8, 16} : Numbers{};
}

std::vector<int> swizzlesToTry(const KnobSite &, const int &proposed) {
  return proposed ? Numbers{0} : Numbers{};
}

std::vector<int> fusedBlocksToTry(const KnobSite &, const int &proposed) {
  Numbers all = {2 * proposed, 4 * proposed};
  if (proposed > 1)
    all.insert(all.begin(), proposed / 2);
  return all;
}

std::vector<LaunchMode> launchFormsToTry(const KnobSite &, const LaunchMode &proposed) {
  return proposed == LaunchMode::Resident
             ? std::vector<LaunchMode>{LaunchMode::Plain, LaunchMode::Resident}
             : std::vector<LaunchMode>{};
}

static void settle(TilePlan &t) {
  for (size_t d = 0; d < t.contiguous.size() && d < t.threadTile.size(); d++)
    while (t.contiguous[d] > 1 &&
           (t.contiguous[d] > t.threadTile[d] || t.threadTile[d] % t.contiguous[d] != 0))
      t.contiguous[d]--;
  if (t.strip.empty()) {
    t.stripLength = t.prefetch = 0;
    t.stages = 1;
    t.async = false;
  }
  if ((t.tail == Tail::Exact && t.staged.empty()) ||
      (t.tail == Tail::ShiftInwards && (t.strip.empty() || t.staged.empty())))
    t.tail = Tail::Guard;
  if (t.tail != Tail::Exact)
    t.vectorBytes = 0;
  if (t.tail != Tail::Guard || t.stages != 2)
    t.async = false;
  if (t.async)
    t.prefetch = 0;
}

void settle(KernelPlan &k) {
  if (k.threadTile.empty())
    k.vectorBytes = 0;
  for (BlockReductionPlan &b : k.blockReductions)
    b.lineAligned &= b.axis == ThreadAxis::X && b.block[0] == kThreadsOfALine;
  for (TilePlan &t : k.tiles)
    settle(t);
}

} // namespace nw
