// The planner: naive but sensible choices. (The memory optimizer replaces the choosing of
// memories.)
#include "plan/planner.h"
#include "plan/join.h"
#include "plan/lines.h"
#include "plan/row_strips.h"
#include "plan/spread.h"
#include "plan/tile_choice.h"
#include "plan/vectors_policy.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace nw {

namespace {

// How far the flattened place of an access moves when only the given dimension of the step grows by
// one: 1 is coalesced, 0 the same place. Nothing where it is not that regular.
std::optional<int> strideAlong(const Statement &s, const Access &a, const Step &step,
                               size_t dimension) {
  // Instances that agree in all other parallel dimensions, in the loops around and in time, one
  // apart in this one.
  std::optional<int> stride;
  int rank = isl_map_dim(a.relation.get(), isl_dim_out);
  if (rank == 0)
    return 0;
  isl::map shift;
  for (size_t k = 0; k < step.parallel.size(); k++)
    for (const isl::map &m : mapsOf(step.parallel[k].value)) {
      if (inputTupleOf(m) != s.name)
        continue;
      std::string text = k == dimension ? "{ [a] -> [b] : b = a + 1 }" : "{ [a] -> [b] : b = a }";
      isl::map pair = m.apply_range(isl::map(m.ctx(), text)).apply_range(m.reverse());
      shift = shift.is_null() ? pair : shift.intersect(pair);
    }
  if (shift.is_null())
    return std::nullopt;
  for (const Dimension &d : step.around)
    for (const isl::map &m : mapsOf(d.value))
      if (inputTupleOf(m) == s.name)
        shift = shift.intersect(m.apply_range(m.reverse()));
  for (const isl::map &m : mapsOf(step.inside))
    if (inputTupleOf(m) == s.name)
      shift = shift.intersect(m.apply_range(m.reverse()));
  isl::map moved = shift.apply_domain(a.relation).apply_range(a.relation);
  isl::set deltas = moved.deltas();
  for (int k = 0; k < rank; k++) {
    std::optional<long> d =
        longOf(isl::manage(isl_set_plain_get_val_if_fixed(deltas.get(), isl_dim_set, k)));
    if (!d || *d < INT_MIN || *d > INT_MAX || (k + 1 < rank && *d != 0))
      return std::nullopt;
    if (k + 1 == rank)
      stride = int(*d);
  }
  return stride;
}

// Accesses that are coalesced when the dimension runs along threads, less those that jump.
int benefit(const Program &p, const Step &step, size_t dimension) {
  int score = 0;
  for (const std::string &name : step.statements) {
    const Statement &s = *p.find(name);
    for (const Access &a : s.accesses) {
      if (p.arrays.at(a.array).kind == ArrayKind::Private)
        continue;
      std::optional<int> stride = strideAlong(s, a, step, dimension);
      int weight = int(s.loops.size());
      score += !stride ? -weight : *stride == 1 || *stride == -1 ? 2 * weight : 0;
    }
  }
  return score;
}

// Arrays that are read at the same place for all values of a dimension, again and again inside a
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

KernelPlan kernelPlan(const Program &p, const Step &step, int number, const DeviceSpec &device,
                      const PlanOptions &options) {
  KernelPlan k;
  k.name = fmt::format("step{}", number);
  k.statements = step.statements;
  k.kind = step.kind == StepKind::Serial      ? "serial"
           : step.kind == StepKind::Reduction ? "reduction"
                                              : "parallel";
  if (step.kind == StepKind::Serial) {
    k.why = "no loop is parallel: one thread";
    return k;
  }
  if (step.kind == StepKind::Reduction) {
    for (size_t d = step.parallel.size(); d-- > 0;)
      k.grid.push_back(step.parallel[d].name);
    k.block = {device.preferredBlock};
    k.why = "all instances fold into one element: a partial result per block, then one thread "
            "folds those";
    return k;
  }
  // The best dimension along threads; the innermost among equals.
  size_t best = 0;
  int bestScore = -1000000;
  for (size_t d = 0; d < step.parallel.size(); d++)
    if (int score = benefit(p, step, d); score >= bestScore) {
      best = d;
      bestScore = score;
    }
  k.grid.push_back(step.parallel[best].name);
  for (size_t d = step.parallel.size(); d-- > 0;)
    if (d != best)
      k.grid.push_back(step.parallel[d].name);
  k.block = k.grid.size() == 1
                ? std::vector<int>{device.preferredBlock}
                : std::vector<int>{device.warp, std::max(1, device.preferredBlock / device.warp)};
  k.why = fmt::format("{} runs along neighbouring threads (score {} of coalesced accesses)",
                      k.grid[0], bestScore);
  if (k.grid.size() == 1 && device.warp > 1 && device.warp < k.block[0] && hasLongLoops(step)) {
    k.block = {device.warp};
    k.why += "; its threads have long loops and may be few: blocks of a warp are on as many "
             "multiprocessors as there are";
  }
  if (options.ilp > 1 && k.grid.size() == 2)
    if (std::set<std::string> shared = sharedReads(p, step, 1 - best); !shared.empty()) {
      k.points = {1, options.ilp};
      k.why += fmt::format("; {} values of {} in a thread, which share what they read of {}",
                           options.ilp, k.grid[1], joined({shared.begin(), shared.end()}, ", "));
    }
  k.strips = rowStrips(p, step, k.grid, device);
  for (const StripForm &f : k.strips)
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

void visit(const Program &p, const Step &s, const DeviceSpec &device, const PlanOptions &options,
           Plan &plan) {
  bool inLoop = !s.around.empty();
  switch (s.kind) {
  case StepKind::Sequence:
    for (size_t n = 0; n < s.children.size(); n++) {
      visit(p, s.children[n], device, options, plan);
      bool isPair = !inLoop && n > 0 && s.children[n - 1].kind == StepKind::Parallel &&
                    s.children[n].kind == StepKind::Parallel;
      if (isPair &&
          !(plan.kernels.size() > 2 &&
            plan.kernels[plan.kernels.size() - 3].join)) // one kernel for three steps there is not
        proposeJoin(p, s.children[n - 1], s.children[n], device, options.join,
                    plan.kernels[plan.kernels.size() - 2], plan.kernels.back());
    }
    return;
  case StepKind::Loop: {
    LoopPlan l;
    l.loop = s.dimension.name;
    l.form = inLoop ? LaunchForm::Plain : LaunchForm::Resident;
    l.why = inLoop
                ? "inside another sequential loop"
                : "many short steps: barriers are cheaper than launches where the device has them";
    plan.loops.push_back(l);
    size_t first = plan.kernels.size(), own = plan.loops.size() - 1;
    visit(p, s.children[0], device, options, plan);
    if (std::any_of(plan.kernels.begin() + long(first), plan.kernels.end(),
                    [](const KernelPlan &k) { return k.spread.has_value(); })) {
      plan.loops[own].form = LaunchForm::Plain;
      plan.loops[own].why =
          "its steps are long: threads share folds out among them, in blocks of their own";
    }
    return;
  }
  default: {
    KernelPlan k = kernelPlan(p, s, int(plan.kernels.size()), device, options);
    std::string why;
    if (std::optional<SpreadParts> parts = spreadParts(p, s, why)) {
      k.spreadable = parts->loop.name;
      k.lineless = inLoop ? "its rows begin anew in every iteration of a loop around it"
                          : whyNoLines(p, s, *parts);
    }
    if (options.spread && k.tiles.empty())
      proposeSpread(p, s, device, k);
    if (options.vectors && k.kind == "parallel" && k.tiles.empty() && !k.spread) {
      size_t along = 0;
      while (s.parallel[along].name != k.grid[0])
        along++;
      proposeVectors(
          p, s,
          [&](const Statement &x, const Access &a, const std::string &) {
            return strideAlong(x, a, s, along);
          },
          device, k);
    }
    plan.kernels.push_back(k);
  }
  }
}

} // namespace

Plan propose(const Program &p, const Schedule &schedule, const DeviceSpec &device,
             const PlanOptions &options) {
  Plan plan;
  plan.function = p.region.function;
  plan.region = p.region.number;
  plan.schedule = schedule.how;
  visit(p, schedule.root, device, options, plan);
  placeArrays(p, schedule, device, options.policy, plan);
  plan.expanded.assign(schedule.expanded.begin(), schedule.expanded.end());
  return plan;
}

bool hasSeveralPoints(const KernelPlan &k) {
  return std::any_of(k.points.begin(), k.points.end(), [](int n) { return n > 1; });
}

// What is wrong with the points of a thread, or nothing.
static std::string wrongPoints(const KernelPlan &k, const std::vector<int> &points,
                               const std::string &kind) {
  if (points.empty())
    return "";
  if (kind != "parallel" || k.grid.size() > 2)
    return "has points where its threads cannot take several: only parallel steps of one or two "
           "dimensions can";
  if (points.size() != k.grid.size())
    return fmt::format("has {} numbers of points of a thread for {} dimensions", points.size(),
                       k.grid.size());
  int64_t all = 1;
  for (int n : points) {
    if (n < 1 || n > kMostPoints)
      return fmt::format("has {} points of a thread along a dimension; expected 1 to {}", n,
                         kMostPoints);
    all *= n;
  }
  if (int most = k.vectors || &points == &k.windows ? kMostPointsOfThread : kMostPoints; all > most)
    return fmt::format("has {} points of a thread; expected 1 to {}", all, most);
  return "";
}

// What is wrong with wide accesses, or nothing.
static std::string wrongVectors(const KernelPlan &k) {
  if (k.vectors != 0 && k.vectors != 4 && k.vectors != 8 && k.vectors != 16)
    return fmt::format("has accesses of {} bytes; expected 4, 8 or 16, or 0 for single elements",
                       k.vectors);
  if (k.vectors && (k.points.empty() || k.points[0] < 2 || (k.points[0] & (k.points[0] - 1)) != 0))
    return fmt::format("has wide accesses, for which a thread takes 2, 4, 8 or 16 values of {}",
                       k.grid.empty() ? "its first dimension" : k.grid[0]);
  if (k.frame != 0 && k.frame != 1)
    return fmt::format("has frame {}; expected 0 or 1", k.frame);
  if (k.vectorsFrom < 1)
    return fmt::format("has vectorsFrom {}; expected 1 or more", k.vectorsFrom);
  if (!k.windows.empty() && (k.windows[0] & (k.windows[0] - 1)) != 0)
    return fmt::format("has windows of {} values of {}; expected 1, 2, 4, 8 or 16", k.windows[0],
                       k.grid.empty() ? "its first dimension" : k.grid[0]);
  if (k.windowsFrom < 1)
    return fmt::format("has windowsFrom {}; expected 1 or more", k.windowsFrom);
  return "";
}

// What is wrong with the tiles of a kernel, or nothing.
static std::string wrongTiles(const KernelPlan &k, const KernelPlan &proposed,
                              const DeviceSpec &device) {
  if (k.tiles.empty())
    return "";
  if (proposed.kind != "parallel")
    return "has tiles where there can be none: only parallel steps have them";
  if (k.tiles.size() > kMostForms)
    return fmt::format("has {} forms; expected at most {}", k.tiles.size(), kMostForms);
  for (const TilePlan &t : k.tiles) {
    std::vector<std::string> a = t.grid, b = k.grid;
    if (a.size() + 1 == b.size()) // a strip of a parallel loop
      a.push_back(t.strip);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b || t.grid.empty() || t.grid.size() > 2)
      return "has tiles over other dimensions than one or two of its own, with all others but the "
             "strip's among them";
    if (t.block.size() != 2 || t.points.size() != 2 || t.run.size() != 2)
      return "has tiles that do not say block, points and run for two dimensions";
    if (t.grid.size() == 1 && (t.block[1] != 1 || t.points[1] != 1))
      return "has tiles of one dimension with threads or points along a second";
    for (size_t d = 0; d < t.grid.size(); d++) {
      if (t.block[d] < 1 || t.block[d] > device.blockThreads || t.points[d] < 1 ||
          t.points[d] > kMostPoints)
        return fmt::format(
            "has tiles with {} threads and {} points of each along {}; expected up to {} and {}",
            t.block[d], t.points[d], t.grid[d], device.blockThreads, kMostPoints);
      if (t.run[d] < 1 || t.points[d] % t.run[d] != 0)
        return fmt::format(
            "has tiles with {} neighbouring points of {} along {}; expected a divisor", t.run[d],
            t.points[d], t.grid[d]);
    }
    if (int64_t(t.block[0]) * t.block[1] > device.blockThreads)
      return fmt::format("has tiles of {} threads; the device has blocks of up to {}",
                         int64_t(t.block[0]) * t.block[1], device.blockThreads);
    if (t.strip.empty() ? t.length != 0 : t.length < 1 || t.length > kLongestStrip)
      return fmt::format("has strips of {} values; expected 1 to {} with a strip, and 0 without",
                         t.length, kLongestStrip);
    if (t.buffers < 1 || t.buffers > 2 || (t.buffers > 1 && t.strip.empty()))
      return fmt::format("has {} buffers for each copy; expected 1, or 2 with a strip", t.buffers);
    if (t.ahead < 0 || t.ahead > 1 || (t.ahead && t.strip.empty()))
      return fmt::format("loads {} strips ahead; expected 0, or 1 with a strip", t.ahead);
    if (t.async < 0 || t.async > 1 || (t.async && (t.buffers != 2 || t.vectors || t.ahead)))
      return fmt::format("has async {}; expected 0, or 1 with two buffers, single elements and "
                         "nothing ahead in registers",
                         t.async);
    if ((t.vectors != 0 && t.vectors != 8 && t.vectors != 16) || (t.vectors && t.staged.empty()))
      return fmt::format(
          "has loads of {} bytes for its copies; expected 0, or 8 or 16 where arrays are staged",
          t.vectors);
    if (t.inside < 0 || t.inside > 1 ||
        (t.inside && (t.strip.empty() || t.staged.empty() || t.vectors || t.async)))
      return fmt::format(
          "has inside {}; expected 0, or 1 with a strip, staged arrays, no vectors and no async",
          t.inside);
    if (t.together < 1 || t.together > device.residentBlocks)
      return fmt::format("wants {} blocks at once; expected 1 to {}", t.together,
                         device.residentBlocks);
    if (t.least < 0)
      return "has a negative number of tiles";
    for (const StagedArray &s : t.staged)
      if (s.swizzle < 0 || s.swizzle == 1 || s.swizzle > kMostPadding ||
          (s.swizzle & (s.swizzle - 1)) != 0)
        return fmt::format("swizzles {} by {} elements; expected 0, or a power of two from 2 to {}",
                           s.array, s.swizzle, kMostPadding);
    for (const StagedArray &s : t.staged)
      if (s.padding < 0 || s.padding > kMostPadding)
        return fmt::format("pads {} by {} elements; expected up to {}", s.array, s.padding,
                           kMostPadding);
  }
  return "";
}

Plan adopt(const Plan &proposed, const Plan &given, const DeviceSpec &device) {
  auto refuse = [&](const std::string &what) {
    throw UserError{fmt::format("the plan for region {} of {} does not fit: {}", given.region,
                                given.function, what)};
  };
  Plan out = proposed;
  if (given.kernels.size() != out.kernels.size() || given.loops.size() != out.loops.size())
    refuse("it has another number of kernels or loops");
  for (size_t k = 0; k < out.kernels.size(); k++) {
    const KernelPlan &g = given.kernels[k];
    KernelPlan &o = out.kernels[k];
    std::vector<std::string> a = g.grid, b = o.grid;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (g.name != o.name)
      refuse(fmt::format("its kernel {} is called {}, not {}", k, o.name, g.name));
    if (g.statements != o.statements || a != b)
      refuse("kernel " + g.name + " has other statements or dimensions");
    if (!g.kind.empty() && g.kind != o.kind)
      refuse(fmt::format("kernel {} is of the kind {}, not {}", g.name, o.kind, g.kind));
    bool tooLarge = g.block.size() > 2 || (g.block.size() == 2 && g.grid.size() < 2);
    long product = 1;
    for (int t : g.block) {
      if (t < 1)
        refuse("kernel " + g.name + " has an empty block");
      tooLarge |= t > device.blockThreads;
      product *= tooLarge ? 1 : t;
    }
    if (tooLarge || product > device.blockThreads)
      refuse("the block of kernel " + g.name + " is too large or has too many dimensions");
    if (o.kind == "reduction" && (product & (product - 1)) != 0)
      refuse("the block of the reduction " + g.name + " is not a power of two");
    if (o.block.empty() != g.block.empty())
      refuse("kernel " + g.name + " has a block where none is wanted, or none where one is");
    if (std::string wrong = wrongPoints(g, g.points, o.kind); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (std::string wrong = wrongPoints(g, g.windows, o.kind); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (std::string wrong = wrongVectors(g); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (std::string wrong = adoptArrays(o.arrays, g.arrays, device); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (std::string wrong = wrongSpread(g, o); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (g.spread && int64_t(g.spread->block[0]) * g.spread->block[1] > device.blockThreads)
      refuse(fmt::format(
          "the block over which kernel {} spreads its fold is too large: at most {} threads",
          g.name, device.blockThreads));
    if (g.spread && g.spread->block.size() > 2 && g.spread->block[2] > device.gridLimit[1])
      refuse(fmt::format("kernel {} spreads its fold over too many blocks: at most {} along y",
                         g.name, device.gridLimit[1]));
    if (std::string wrong = wrongJoin(g, o, device); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    if (g.join && k > 0 && given.kernels[k - 1].join)
      refuse(fmt::format("kernel {} is joined with the one before it and with the next", g.name));
    o.join = g.join;
    o.spread = g.spread;
    o.grid = g.grid;
    o.vectors = g.vectors;
    o.vectorsFrom = g.vectorsFrom;
    o.frame = g.frame;
    o.windows = g.windows;
    o.windowsFrom = g.windowsFrom;
    o.block = g.block;
    o.points = g.points;
    if (std::string wrong = wrongTiles(g, o, device); !wrong.empty())
      refuse(fmt::format("kernel {} {}", g.name, wrong));
    o.tiles = g.tiles;
    o.why = g.why;
  }
  for (size_t k = 0; k < out.loops.size(); k++)
    if (given.loops[k].loop != out.loops[k].loop)
      refuse(
          fmt::format("its loop {} is over {}, not {}", k, out.loops[k].loop, given.loops[k].loop));
    else if (given.loops[k].form == LaunchForm::Plain || out.loops[k].form == LaunchForm::Resident)
      out.loops[k].form = given.loops[k].form;
    else
      refuse("loop " + given.loops[k].loop + " cannot run inside a kernel");
  if (given.reductionBlocks < 1 || given.reductionBlocks > 65535)
    refuse("reductionBlocks is out of range");
  out.reductionBlocks = given.reductionBlocks;
  return out;
}

} // namespace nw
