// The planner: naive but sensible choices. (The memory optimizer replaces the choosing of
// memories.)
#include "plan/planner.h"
#include "plan/tile_choice.h"
#include "plan/vectors_policy.h"
#include "poly/step_axes.h"
#include "support/text.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace nw {

namespace {

// Arrays that are read at the same position for all values of a dimension, again and again inside a
// loop of the thread: several values in one thread share these reads (share, ILP; principles,
// register tiling).
std::set<std::string> sharedReads(const Program &p, const Step &step, size_t dimension) {
  std::set<std::string> shared;
  if (std::all_of(step.insideNames.begin(), step.insideNames.end(),
                  [](const std::string &name) { return name.empty(); }))
    return shared;
  for (const std::string &name : step.statements) {
    const Statement &s = *p.find(name);
    for (const Access &a : s.accesses)
      if (!a.isWrite && s.loops.size() > step.parallel.size() &&
          p.arrays.at(a.array).kind == ArrayKind::Memory && !p.arrays.at(a.array).isScalar() &&
          strideAlong(s, a, step, dimension) == 0)
        shared.insert(a.array);
  }
  return shared;
}

// Whether a thread of the step has a loop whose number of iterations is not known to be small.
bool hasLongLoops(const Step &step) {
  constexpr long kShort = 16;
  isl::union_map threads = threadsOf(step), sameThread = threads.apply_range(threads.reverse());
  for (const isl::set &apart :
       setsOf(step.inside.reverse().apply_range(sameThread).apply_range(step.inside).deltas()))
    for (int k = 0; k < int(isl_set_dim(apart.get(), isl_dim_set)); k++)
      if (std::optional<long> most = longOf(isl::manage(isl_set_dim_max_val(apart.copy(), k)));
          !most || *most > kShort)
        return true;
  return false;
}

// The least power of two that is as large as the number of values of a parallel dimension, where
// that is known.
std::optional<int> threadsAlong(const Program &p, const Step &step, const std::string &name) {
  for (const StepAxis &axis : stepAxes(step)) {
    if (axis.name != name || axis.kind != AxisKind::Parallel)
      continue;
    isl::set values = rangeOf(axis, p);
    std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(values.copy(), 0))),
                        high = longOf(isl::manage(isl_set_dim_max_val(values.copy(), 0)));
    if (low && high && *low <= *high && *high - *low < 1024)
      return int(std::bit_ceil(unsigned(*high - *low + 1)));
  }
  return std::nullopt;
}

// A warp along the first dimension; less where it has fewer values, or more where the second one
// has few.
std::vector<int> blockOf(const Program &p, const Step &step, const std::vector<std::string> &grid,
                         const DeviceSpec &device) {
  if (grid.size() == 1)
    return {device.preferredBlock};
  if (device.warp == 1)
    return {1, device.preferredBlock};
  int many = std::max(device.preferredBlock, 1), x = std::min(device.warp, many), y = many / x;
  if (std::optional<int> few = threadsAlong(p, step, grid[0]); few && *few < x)
    return {*few, std::max(1, many / *few)};
  if (std::optional<int> few = threadsAlong(p, step, grid[1]); few && *few < y)
    return {std::max(x, many / *few), *few};
  return {x, std::max(1, y)};
}

KernelPlan kernelPlan(const Program &p, const Step &step, const StepFacts &facts, int number,
                      const DeviceSpec &device, const PlanOptions &options) {
  KernelPlan k;
  k.name = fmt::format("step{}", number);
  k.grid = facts.grid;
  if (step.kind == StepKind::Serial) {
    k.why = "no loop is parallel: one thread";
    return k;
  }
  if (step.kind == StepKind::Reduction) {
    k.block = {device.preferredBlock};
    k.why = "all instances reduce into one element: a partial result per block, then one block "
            "reduces those";
    return k;
  }
  k.block = blockOf(p, step, k.grid, device);
  k.why = fmt::format("{} runs along neighbouring threads (score {} of coalesced accesses)",
                      k.grid[0], facts.score);
  if (k.grid.size() == 1 && device.warp > 1 && device.warp < k.block[0] && hasLongLoops(step)) {
    k.block = {device.warp};
    k.why += "; its threads have long loops and may be few: blocks of a warp are on as many "
             "multiprocessors as there are";
  }
  if (options.ilp > 1 && k.grid.size() == 2)
    if (std::set<std::string> shared = sharedReads(p, step, parallelNumber(step, k.grid[1]));
        !shared.empty()) {
      k.threadTile = {1, options.ilp};
      k.why += fmt::format("; {} values of {} in a thread, which share what they read of {}",
                           options.ilp, k.grid[1], joined({shared.begin(), shared.end()}, ", "));
    }
  for (const StripForm &f : facts.strips)
    if (f.what == options.coalesce) {
      k.tiles = {f.tiles};
      k.why += fmt::format("; as asked, {} go through shared memory by strips of rows",
                           f.what == "both" ? "loads and stores" : f.what);
      return k;
    }
  TileOptions tiles = options.tiles;
  tiles.vectors = options.vectors;
  TileChoice chosen = chooseTiles(p, step, k.grid, device, tiles);
  if (!chosen.tiles.empty()) {
    k.tiles = chosen.tiles;
    k.why += "; " + chosen.why;
  }
  return k;
}

// Makes the plan of a region, step by step.
class Planner {
public:
  Planner(const Program &p, const RegionFacts &facts, const DeviceSpec &device,
          const PlanOptions &options)
      : p(p), facts(facts), device(device), options(options) {}

  Plan run(const Step &root) {
    plan.function = p.region.function;
    plan.region = p.region.number;
    // As many blocks of a reduction as the device holds.
    plan.reductionBlocks =
        std::max(plan.reductionBlocks,
                 device.multiprocessors * device.residentThreads / device.preferredBlock);
    visit(root);
    return std::move(plan);
  }

private:
  void visit(const Step &s) {
    if (s.kind == StepKind::Sequence)
      sequence(s);
    else if (s.kind == StepKind::Loop)
      loop(s);
    else
      plan.kernels.push_back(kernel(s));
  }

  void sequence(const Step &s) {
    for (const Step &child : s.children) {
      visit(child);
      size_t count = plan.kernels.size();
      if (!options.fuse || count < 2 || !facts[count - 2].fusion)
        continue;
      KernelPlan &one = plan.kernels[count - 2];
      bool isThird = count > 2 && plan.kernels[count - 3].fuse; // one kernel for three there is not
      if (!isThird && !one.fuse)
        proposeFusion(p, *facts[count - 2].fusion, device, one, plan.kernels.back());
    }
  }

  void loop(const Step &s) {
    bool inLoop = !s.around.empty();
    LoopPlan l;
    l.loop = s.dimension.name;
    l.form = inLoop ? LaunchMode::Plain : LaunchMode::Resident;
    l.why = inLoop
                ? "inside another sequential loop"
                : "many short steps: barriers are cheaper than launches where the device has them";
    plan.loops.push_back(l);
    size_t first = plan.kernels.size(), own = plan.loops.size() - 1;
    visit(s.children[0]);
    if (std::any_of(plan.kernels.begin() + long(first), plan.kernels.end(),
                    [](const KernelPlan &k) { return !k.blockReductions.empty(); })) {
      plan.loops[own].form = LaunchMode::Plain;
      plan.loops[own].why =
          "its steps are long: threads share reductions out among them, in blocks of their own";
    }
  }

  KernelPlan kernel(const Step &s) const {
    const StepFacts &f = facts[plan.kernels.size()];
    KernelPlan k = kernelPlan(p, s, f, int(plan.kernels.size()), device, options);
    if (options.blockReduction && k.tiles.empty())
      proposeBlockReduction(p, s, f, device, k);
    if (options.vectors && f.isParallel() && k.tiles.empty() && k.blockReductions.empty())
      proposeVectors(
          p, s,
          [&, along = parallelNumber(s, k.grid[0])](const Statement &x, const Access &a,
                                                    const std::string &) {
            return strideAlong(x, a, s, along);
          },
          device, k);
    return k;
  }

  const Program &p;
  const RegionFacts &facts;
  const DeviceSpec &device;
  const PlanOptions &options;
  Plan plan;
};

} // namespace

Plan propose(const Program &p, const Schedule &schedule, const RegionFacts &facts,
             const DeviceSpec &device, const PlanOptions &options) {
  Plan plan = Planner(p, facts, device, options).run(schedule.root);
  placeArrays(p, schedule, facts, device, options.policy, plan);
  return plan;
}

Plan propose(const Program &p, const Schedule &schedule, const DeviceSpec &device,
             const PlanOptions &options) {
  return propose(p, schedule, factsOf(p, schedule, device), device, options);
}

bool hasThreadTile(const KernelPlan &k) {
  return std::any_of(k.threadTile.begin(), k.threadTile.end(), [](int n) { return n > 1; });
}

} // namespace nw
