// A given plan, held against the program and the device. What a value may be by itself is in
// plan/plan_fields.h; here is what fields must be beside each other.
#include "plan/planner.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

int64_t productOf(const std::vector<int> &numbers) {
  int64_t all = 1;
  for (int n : numbers)
    all *= n;
  return all;
}

bool areSame(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// Each of the following says what is wrong, in words that follow the kernel's name, or nothing.

std::string wrongBlock(const KernelPlan &k, const StepFacts &facts, const DeviceSpec &device) {
  if (facts.grid.empty() != k.block.empty())
    return "has a block but needs none, or needs one and has none";
  if (k.block.size() > 1 && k.grid.size() < 2)
    return "has a block of two dimensions, but is of one";
  if (productOf(k.block) > device.blockThreads)
    return fmt::format("has a block that is too large: {} threads; expected up to {}",
                       productOf(k.block), device.blockThreads);
  if (facts.kind == StepKind::Reduction && !isPowerOfTwo(productOf(k.block)))
    return "is a reduction whose block is not a power of two";
  return "";
}

// `name` is the field that says how many points of the step a thread takes.
std::string wrongThreadTile(const KernelPlan &k, const char *name, const std::vector<int> &points,
                            int most, const StepFacts &facts) {
  if (points.empty())
    return "";
  bool hasWindows = k.vectorBytes > 0 || &points == &k.windowTile;
  if (!facts.isParallel() || k.grid.size() > (hasWindows ? 3 : 2))
    return fmt::format("has a {} where its threads cannot take several points: only parallel "
                       "steps of one or two dimensions can, and of three with windows",
                       name);
  if (points.size() != std::min<size_t>(k.grid.size(), 2))
    return fmt::format("has a {} of {} numbers for {} dimensions", name, points.size(),
                       k.grid.size());
  if (productOf(points) > most)
    return fmt::format("has a {} of {} points; expected 1 to {}", name, productOf(points), most);
  return "";
}

std::string wrongVectors(const KernelPlan &k) {
  std::string first = k.grid.empty() ? "its first dimension" : k.grid[0];
  if (k.vectorBytes &&
      (k.threadTile.empty() || k.threadTile[0] < 2 || !isPowerOfTwo(k.threadTile[0])))
    return fmt::format("has wide accesses, for which a thread takes 2, 4, 8 or 16 values of {}",
                       first);
  if (!k.windowTile.empty() && !isPowerOfTwo(k.windowTile[0]))
    return fmt::format("has a windowTile of {} values of {}; expected 1, 2, 4, 8 or 16",
                       k.windowTile[0], first);
  return "";
}

std::string wrongShape(const TilePlan &t, const KernelPlan &k, const DeviceSpec &device) {
  std::vector<std::string> own = t.grid;
  if (own.size() + 1 == k.grid.size()) // a strip of a parallel loop
    own.push_back(t.strip);
  if (!areSame(own, k.grid))
    return "has tiles over other dimensions than its own, all of them but the strip's";
  if (t.grid.size() == 1 && (t.block[1] != 1 || t.threadTile[1] != 1))
    return "has tiles of one dimension with threads or points along a second";
  for (size_t d = 0; d < std::min<size_t>(t.grid.size(), 2); d++)
    if (t.threadTile[d] % t.contiguous[d] != 0)
      return fmt::format("has tiles with {} contiguous points of {} along {}; expected a divisor",
                         t.contiguous[d], t.threadTile[d], t.grid[d]);
  if (productOf(t.block) > device.blockThreads)
    return fmt::format("has tiles of {} threads; the device has blocks of up to {}",
                       productOf(t.block), device.blockThreads);
  if (t.minBlocksPerSm > device.residentBlocks)
    return fmt::format("wants {} blocks per multiprocessor; expected 1 to {}", t.minBlocksPerSm,
                       device.residentBlocks);
  return "";
}

std::string wrongStrips(const TilePlan &t) {
  if (t.strip.empty() ? t.stripLength != 0 : t.stripLength < 1)
    return fmt::format("has strips of {} values; expected 1 to {} with a strip, and 0 without",
                       t.stripLength, kLongestStrip);
  if (t.strip.empty() && (t.stages > 1 || t.prefetch || t.async))
    return "has tiles with stages, prefetch or async, which go with a strip, and without one";
  if (t.async && (t.stages != 2 || t.prefetch || t.tail != Tail::Guard))
    return "has asynchronous copies, for which there are two stages, no prefetch and the tail "
           "'guard'";
  return "";
}

std::string wrongTail(const TilePlan &t) {
  if (t.tail == Tail::ShiftInwards && (t.strip.empty() || t.staged.empty()))
    return "has tiles with the tail 'shift-inwards', for which there are a strip and staged arrays";
  if (t.tail == Tail::Exact && (t.vectorBytes == 0 || t.staged.empty()))
    return "has tiles with the tail 'exact', for which there are staged arrays and vectorBytes of "
           "8 or 16";
  if (t.tail != Tail::Exact && t.vectorBytes)
    return fmt::format("has loads of {} bytes for its copies, for which the tail is 'exact'",
                       t.vectorBytes);
  return "";
}

std::string wrongTiles(const KernelPlan &k, const StepFacts &facts, const DeviceSpec &device) {
  if (!k.tiles.empty() && !facts.isParallel())
    return "has tiles where there can be none: only parallel steps have them";
  for (const TilePlan &t : k.tiles)
    for (const std::string &wrong : {wrongShape(t, k, device), wrongStrips(t), wrongTail(t)})
      if (!wrong.empty())
        return wrong;
  return "";
}

// What is wrong with the fields of a kernel that the device or other fields decide about.
std::string wrongKernel(const KernelPlan &k, const StepFacts &facts, const DeviceSpec &device) {
  if (std::string wrong = wrongValues(k); !wrong.empty()) // the others rely on it
    return wrong;
  for (const std::string &wrong :
       {wrongBlock(k, facts, device),
        wrongThreadTile(k, "threadTile", k.threadTile,
                        k.vectorBytes ? kLargestThreadTile : kMostPoints, facts),
        wrongThreadTile(k, "windowTile", k.windowTile, kLargestThreadTile, facts), wrongVectors(k),
        wrongBlockReductions(k, facts, device), wrongFusion(k, facts, device),
        wrongTiles(k, facts, device)})
    if (!wrong.empty())
      return wrong;
  return "";
}

} // namespace

Plan adopt(const Plan &proposed, const RegionFacts &facts, const Plan &given,
           const DeviceSpec &device) {
  auto refuse = [&](const std::string &what) {
    throw UserError{fmt::format("the plan for region {} of {} does not fit the program: {}",
                                given.region, given.function, what)};
  };
  Plan out = proposed;
  if (given.kernels.size() != out.kernels.size() || given.loops.size() != out.loops.size())
    refuse("it has a different number of kernels or loops");
  for (size_t k = 0; k < out.kernels.size(); k++) {
    const KernelPlan &g = given.kernels[k];
    KernelPlan &o = out.kernels[k];
    if (g.name != o.name)
      refuse(fmt::format("its kernel {} is called {}, not {}", k, o.name, g.name));
    if (!areSame(g.grid, o.grid))
      refuse("kernel " + g.name + " has other dimensions");
    if (std::string wrong = wrongKernel(g, facts[k], device); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (g.fuse && g.fuse->with != fmt::format("step{}", k + 1))
      refuse(
          fmt::format("kernel {} is fused with {}; expected step{}", g.name, g.fuse->with, k + 1));
    if (g.fuse && k > 0 && given.kernels[k - 1].fuse)
      refuse(fmt::format("kernel {} is fused with the one before it and with the next", g.name));
    std::vector<ArrayPlan> arrays = o.arrays;
    if (std::string wrong = adoptArrays(arrays, facts[k].arrays, g.arrays, device); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    o = g;
    o.arrays = arrays;
  }
  for (size_t k = 0; k < out.loops.size(); k++)
    if (given.loops[k].loop != out.loops[k].loop)
      refuse(
          fmt::format("its loop {} is over {}, not {}", k, out.loops[k].loop, given.loops[k].loop));
    else if (given.loops[k].form == LaunchMode::Plain || out.loops[k].form == LaunchMode::Resident)
      out.loops[k].form = given.loops[k].form;
    else
      refuse("loop " + given.loops[k].loop + " cannot run inside a kernel");
  if (std::string wrong = wrongValues(given); !wrong.empty())
    refuse("it " + wrong);
  out.reductionBlocks = given.reductionBlocks;
  return out;
}

} // namespace nw
