// Warps, statements and loops.
#include "estimate/kernel_walk.h"
#include "estimate/block_axes.h"
#include "estimate/layout.h"
#include "estimate/walker.h"
#include "ir/evaluate.h"
#include "kernel/emitted.h"
#include "kernel/expand.h"
#include "kernel/reduction_steps.h"
#include <fmt/format.h>

namespace nw {

static constexpr int64_t kUnknownTrips = 16; // of a loop whose end depends on data
// Of a block; guards cut through all of those of a small grid, but only through the last ones of a
// large one.
static constexpr int kWarpsLookedAt = 8, kLargeGrid = 64, kWarpsInLargeGrid = 4;

std::vector<std::pair<int64_t, double>> sampled(int64_t count, int samples) {
  std::vector<std::pair<int64_t, double>> out;
  if (samples <= 0 || count <= std::max(samples, 2)) {
    for (int64_t k = 0; k < count; k++)
      out.push_back({k, 1.0});
    return out;
  }
  out.push_back({0, 1.0});
  int64_t inner = count - 2, parts = std::max(samples - 2, 1);
  for (int64_t k = 0; k < parts; k++) {
    int64_t low = 1 + inner * k / parts, high = 1 + inner * (k + 1) / parts;
    out.push_back({low + (high - low) / 2, double(high - low)});
  }
  out.push_back({count - 1, 1.0});
  return out;
}

Walker::Walker(const Program &p, const Kernels &all, const Kernel &k,
               const std::map<std::string, int64_t> &values, const LaunchShape &shape,
               const DeviceSpec &device, const WalkOptions &options)
    : program(p), kernel(k), shape(shape), device(device), options(options), facts(factsOf(k)) {
  findRedeclared(k.body);
  for (const KernelParameter &q : k.parameters) {
    if (q.buffer < 0) {
      std::optional<int64_t> v = evaluate(q.value, values);
      scalars[q.name] = v && q.type.isInteger() ? uniform(*v) : alike(0);
      continue;
    }
    Area a{&q, {}, all.buffers[q.buffer].elementBytes, 0};
    if (q.type.isStruct() || q.type.isInteger() || q.type.isFloat())
      a.elementBytes = bytesIn(program.region, q.type);
    for (size_t n = 1; n < q.extents.size(); n++)
      a.extents.push_back(evaluate(q.extents[n], values).value_or(1));
    if (std::optional<int64_t> low = evaluate(all.buffers[q.buffer].low, values); low && *low < 0)
      a.base = -*low * a.elementBytes;
    areas[q.name] = a;
  }
  walkStmts(k.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::GridBarrier)
      phaseAfter.emplace(s.get(), int(phaseAfter.size()) + 1);
  });
  out.phases.resize(phaseAfter.size() + 1);
  stageOf(0);
}

// Blocks on the diagonal first. Where no condition needs two of a block's numbers, and all of these
// go the same way, the others do, too, and are not followed.
KernelWalk Walker::run() {
  out.warps = shape.blocks() * warpsInBlock();
  auto alongX = sampled(shape.grid[0], options.samples),
       alongY = sampled(shape.grid[1], options.samples),
       alongZ = sampled(shape.grid[2], options.samples);
  std::set<size_t> ways;
  auto follow = [&](bool isDiagonal) {
    double followed = 0;
    for (size_t z = 0; z < alongZ.size(); z++)
      for (size_t y = 0; y < alongY.size(); y++)
        for (size_t x = 0; x < alongX.size(); x++) {
          size_t n = std::max({x, y, z});
          bool is = x == std::min(n, alongX.size() - 1) && y == std::min(n, alongY.size() - 1) &&
                    z == std::min(n, alongZ.size() - 1);
          if (is != isDiagonal)
            continue;
          way = 0;
          double weight = alongX[x].second * alongY[y].second * alongZ[z].second;
          warpsOf({alongX[x].first, alongY[y].first, alongZ[z].first}, weight);
          followed += weight;
          if (isDiagonal)
            ways.insert(way);
        }
    return followed;
  };
  double followed = follow(true);
  if (options.samples > 0 && ways.size() == 1 &&
      needsOneAxis(kernel.body, program.region.functions))
    scaleSums(shape.blocks() / followed);
  else
    follow(false);
  finish();
  return std::move(out);
}

int Walker::warpsInBlock() const { return (shape.threads() + device.warp - 1) / device.warp; }

void Walker::warpsOf(const std::array<int64_t, 3> &block, double weight) {
  int warps = shape.blocks() >= kLargeGrid ? kWarpsInLargeGrid : kWarpsLookedAt;
  for (auto [w, ofW] :
       sampled(warpsInBlock(), options.samples > 0 ? std::max(options.samples, warps) : 0))
    warp(block, int(w), weight * ofW);
}

void Walker::noteAnswer(const LaneValue &condition) {
  auto mix = [&](size_t x) { way = way * 1099511628211u + x + 1; };
  mix(condition.isKnown ? condition.lanes.size() : 0);
  for (size_t k = 0; condition.isKnown && k < condition.lanes.size(); k++)
    mix(condition.lanes[k] != 0);
}

void Walker::scaleSums(double by) {
  for (InstructionMix &m : out.phases)
    m = m.scaled(by);
  for (Stage &s : out.stages)
    s.mix = s.mix.scaled(by);
  for (Reference &r : out.references) {
    for (double *sum : {&r.accesses, &r.issued, &r.transactions, &r.transactionBytes, &r.lines,
                        &r.ideal, &r.turns, &r.idealTurns, &r.issuedTurns, &r.issuedIdealTurns})
      *sum *= by;
    for (double &s : r.strides)
      s *= by;
    for (double &c : r.counts)
      c *= by;
  }
  out.ownLoads *= by;
  out.ownStores *= by;
}

void Walker::warp(const std::array<int64_t, 3> &block, int number, double weight) {
  auto [blockX, blockY, blockZ] = block;
  int first = number * device.warp, lanes = std::min(device.warp, shape.threads() - first);
  auto of = [&](auto f, double x, double y, double bx, double by) {
    LaneValue v;
    v.isKnown = true;
    for (int k = 0; k < device.warp; k++)
      v.lanes.push_back(f(std::min(first + k, shape.threads() - 1)));
    v.slopes = {x, y, bx, by};
    return v;
  };
  int64_t bx = shape.block[0], by = shape.block[1];
  coordinates.clear();
  coordinates["local.x"] = of([&](int t) { return t % bx; }, 1, 0, 0, 0);
  coordinates["local.y"] = of([&](int t) { return t / bx % by; }, 0, 1, 0, 0);
  coordinates["thread.x"] = of([&](int t) { return blockX * bx + t % bx; }, 1, 0, double(bx), 0);
  coordinates["thread.y"] =
      of([&](int t) { return blockY * by + t / bx % by; }, 0, 1, 0, double(by));
  coordinates["block.x"] = of([&](int) { return blockX; }, 0, 0, 1, 0);
  coordinates["block.y"] = of([&](int) { return blockY; }, 0, 0, 0, 1);
  coordinates["local.z"] = uniform(0); // blocks have one thread along z
  coordinates["thread.z"] = coordinates["block.z"] = uniform(blockZ);
  coordinates["threads.x"] = uniform(shape.grid[0] * bx);
  coordinates["threads.y"] = uniform(shape.grid[1] * by);
  coordinates["blocks.x"] = uniform(shape.grid[0]);
  coordinates["blocks.y"] = uniform(shape.grid[1]);
  coordinates["threads.z"] = coordinates["blocks.z"] = uniform(shape.grid[2]);
  along = {coordinates["local.x"], coordinates["local.y"], coordinates["block.x"],
           coordinates["block.y"]};
  locals = {};
  changes.clear();
  levels = {{weight, 1, 1, {}, {}, 0, "", 0, {}, {}}};
  visits.assign(out.stages.size(), 0.0);
  visits[0] = 1;
  instructions.assign(out.phases.size(), 0.0);
  warpWeight = weight;
  phase = 0;
  isFirst = blockX == 0 && blockY == 0 && blockZ == 0 && number == 0;
  Mask mask(device.warp, 0);
  std::fill(mask.begin(), mask.begin() + lanes, 1);
  if (device.warp > 1 && lanes < device.warp)
    std::fill(mask.begin() + lanes, mask.end(), 0);
  walk(kernel.body, mask);
  issueAll(levels[0]);
  out.visitsOfWarps.push_back(visits);
  out.instructionsOfWarps.push_back(instructions);
  warpWeights.push_back(weight);
}

Mask Walker::narrowed(const Mask &mask, const LaneValue &v) {
  Mask m = mask;
  for (size_t k = 0; k < m.size(); k++)
    m[k] = m[k] && v.at(k) != 0;
  return m;
}

void Walker::walk(const StmtP &s, const Mask &mask) {
  switch (s->kind) {
  case StmtKind::Block: {
    for (const StmtP &b : s->body)
      walk(b, mask);
    return;
  }
  case StmtKind::Declare:
    declare(s, mask);
    return;
  case StmtKind::Shared: {
    Area a;
    a.elementBytes = bytesIn(program.region, s->type);
    a.extents.assign(s->extents.begin() + (s->extents.empty() ? 0 : 1), s->extents.end());
    int64_t bytes = a.elementBytes;
    for (int64_t x : s->extents)
      bytes *= x;
    if (sharedSeen.insert(s->name).second)
      out.sharedBytes += bytes;
    areas[s->name] = a;
    return;
  }
  case StmtKind::Assign:
    assign(s, mask);
    return;
  case StmtKind::If: {
    LaneValue c = evaluated(s->exprs[0], mask);
    noteAnswer(c);
    charge(branches(1), c.level, numberOf(kBranch, {textOf(s->exprs[0])}));
    // A branch on data: some lane takes either side.
    Mask then = c.isKnown ? narrowed(mask, c) : mask, otherwise = mask;
    if (c.isKnown)
      for (size_t k = 0; k < otherwise.size(); k++)
        otherwise[k] = otherwise[k] && !then[k];
    if (any(then))
      walk(s->body[0], then);
    if (s->body.size() > 1 && any(otherwise))
      walk(s->body[1], otherwise);
    return;
  }
  case StmtKind::For:
    loop(s, mask);
    return;
  case StmtKind::While:
  case StmtKind::DoWhile:
    unknownLoop(s, mask);
    return;
  case StmtKind::Window:
    window(s, mask);
    return;
  case StmtKind::Barrier:
  case StmtKind::GridBarrier:
    barrier(s);
    return;
  case StmtKind::Return:
    for (const ExprP &e : s->exprs)
      evaluated(e, mask);
    return;
  default:
    return;
  }
}

void Walker::barrier(const StmtP &s) {
  for (Level &l : levels)
    issueAll(l);
  InstructionMix m;
  m.barrier = 1;
  add(m.scaled(levels.back().weight), depth());
  bool isGrid = s->kind == StmtKind::GridBarrier;
  if (isGrid) {
    phase = phaseAfter.at(s.get());
    size_t stage = stageOf(levels.back().loop);
    visits[stage] += levels.back().inWarp;
  }
  if (isFirst)
    (isGrid && shape.blocks() > 1 ? out.gridBarriers : out.blockBarriers) += levels.back().inWarp;
  if (isFirst && isGrid && shape.blocks() == 1)
    out.reducedBarriers += levels.back().inWarp;
}

std::vector<int64_t> Walker::tripsOf(const StmtP &s, const LaneValue &start, const LaneValue &step,
                                     const Mask &mask, bool &isKnown) {
  size_t lanes = mask.size();
  std::vector<int64_t> low(lanes, -1), high(lanes, 0),
      trips(lanes, 0); // it holds at low, and not at high
  auto holdsAt = [&](const std::vector<int64_t> &k) {
    LaneValue counter = unknown(0);
    counter.isKnown = true;
    for (size_t n = 0; n < lanes; n++)
      counter.lanes.push_back(start.at(n) + k[n] * step.at(n));
    locals[s->loop.counter] = counter;
    quiet++;
    LaneValue c = evaluated(s->loop.condition, mask);
    noteAnswer(c);
    quiet--;
    isKnown &= c.isKnown;
    return c.isKnown ? c : uniform(0);
  };
  isKnown = start.isKnown && step.isKnown;
  bool more = isKnown;
  for (int round = 0; more && round < 42; round++) { // doubling while it holds
    LaneValue holds = holdsAt(high);
    more = false;
    for (size_t n = 0; n < lanes; n++)
      if (mask[n] && holds.at(n)) {
        low[n] = high[n];
        high[n] = high[n] ? 2 * high[n] : 1;
        more = true;
      }
  }
  for (more = isKnown; more;) { // then halving
    std::vector<int64_t> middle(lanes, 0);
    for (size_t n = 0; n < lanes; n++)
      middle[n] = std::max<int64_t>(0, low[n] + (high[n] - low[n]) / 2);
    LaneValue holds = holdsAt(middle);
    more = false;
    for (size_t n = 0; n < lanes; n++)
      if (high[n] - low[n] > 1) {
        (holds.at(n) ? low[n] : high[n]) = middle[n];
        more = true;
      }
  }
  for (size_t n = 0; n < lanes; n++)
    trips[n] = low[n] + 1;
  return trips;
}

void Walker::loop(const StmtP &s, const Mask &mask) {
  LaneValue start = evaluated(s->loop.start, mask);
  LaneValue step = s->loop.stride ? evaluated(s->loop.stride, mask) : uniform(s->loop.step);
  size_t before = changes.size();
  int number = facts.numberOf(s);
  forgetAssigned(number);
  set(s->loop.counter, start);
  bool isKnown = true;
  std::vector<int64_t> trips = tripsOf(s, start, step, mask, isKnown);
  if (!isKnown)
    assume(s, trips, mask);
  int64_t most = *std::max_element(trips.begin(), trips.end());
  int phaseBefore = phase;
  for (auto [k, weight] : sampled(most, samplesAt(depth() + 1))) {
    phase = phaseBefore;
    Mask active = mask;
    LaneValue counter = unknown(depth() + 1);
    if (isKnown) {
      counter.isKnown = true;
      counter.slopes = start.slopes;
      counter.slopes.resize(size_t(kFirstLoop + depth() + 1), 0.0);
      counter.slopes.back() = double(step.at(0));
    }
    for (size_t n = 0; n < active.size(); n++) {
      active[n] = active[n] && k < trips[n];
      if (isKnown)
        counter.lanes.push_back(start.at(n) + k * step.at(n));
    }
    enter(number, s->loop.counter, k, double(most), weight);
    set(s->loop.counter, counter);
    chargeIteration();
    walk(s->body[0], active);
    leave();
  }
  undo(before, number);
}

void Walker::set(const std::string &name, const LaneValue &value) {
  auto [at, isNew] = locals.try_emplace(name, value);
  if (!isNew) {
    changes.emplace_back(name, at->second);
    at->second = value;
  }
}

// Variables that the loop only hides have the values again that they had before it.
void Walker::undo(size_t from, int loop) {
  Values stay; // what they held first
  for (; changes.size() > from; changes.pop_back()) {
    auto &[name, value] = changes.back();
    (assignedIn(loop).count(name) ? stay : locals)[name] = value;
  }
  changes.insert(changes.end(), stay.begin(), stay.end());
}

void Walker::unknownLoop(const StmtP &s, const Mask &mask) {
  int number = facts.numberOf(s);
  forgetAssigned(number);
  std::vector<int64_t> trips;
  assume(s, trips, mask);
  int phaseBefore = phase;
  for (auto [k, weight] : sampled(kUnknownTrips, 2)) {
    phase = phaseBefore;
    enter(number, "", k, double(kUnknownTrips), weight);
    evaluated(s->exprs[0], mask);
    chargeIteration();
    walk(s->body[0], mask);
    leave();
  }
}

void Walker::assume(const StmtP &s, std::vector<int64_t> &trips, const Mask &mask) {
  std::string where = s->loop.counter.empty() ? "a loop" : "the loop over " + s->loop.counter;
  std::string text = fmt::format("{} ends depending on data: {} iterations", where, kUnknownTrips);
  if (std::find(out.assumed.begin(), out.assumed.end(), text) == out.assumed.end())
    out.assumed.push_back(text);
  trips.clear();
  for (char c : mask)
    trips.push_back(c ? kUnknownTrips : 0);
}

void Walker::enter(int number, const std::string &counter, int64_t iteration, double trips,
                   double weight) {
  Level l{levels.back().weight * weight,
          levels.back().inWarp * weight,
          trips,
          {},
          {},
          number,
          counter,
          iteration,
          {},
          {}};
  levels.push_back(std::move(l));
  size_t stage = stageOf(number);
  visits[stage] += levels.back().inWarp;
}

void Walker::leave() {
  issueAll(levels.back());
  levels.pop_back();
}

const std::set<std::string> &Walker::assignedIn(int number) const {
  static const std::set<std::string> none;
  return number > 0 ? facts.loops[size_t(number) - 1].assigned : none;
}

void Walker::forgetAssigned(int number) {
  for (const std::string &name : assignedIn(number))
    set(name, unknown(depth() + 1));
}

size_t Walker::stageOf(int loop) {
  auto [at, isNew] = stages.try_emplace({loop, phase}, out.stages.size());
  if (isNew) {
    Stage s;
    s.loop = loop;
    s.phase = phase;
    s.counter = loop > 0 ? facts.loops[size_t(loop) - 1].loop->loop.counter : "";
    s.overlap = loop > 0 ? facts.loops[size_t(loop) - 1].unrolled : 1;
    out.stages.push_back(s);
  }
  visits.resize(std::max(visits.size(), out.stages.size()), 0.0);
  return at->second;
}

void Walker::finish() {
  for (const InstructionMix &m : out.phases)
    out.mix += m;
  for (Reference &r : out.references)
    if (r.accesses > 0) {
      for (double &s : r.strides)
        s /= r.accesses;
      for (double &c : r.counts)
        c /= r.accesses;
    }
  double all = 0;
  for (size_t w = 0; w < out.visitsOfWarps.size(); w++) {
    all += warpWeights[w];
    out.visitsOfWarps[w].resize(out.stages.size(), 0.0);
    for (size_t s = 0; s < out.stages.size(); s++)
      out.stages[s].visits += warpWeights[w] * out.visitsOfWarps[w][s];
  }
  for (Stage &s : out.stages)
    s.visits /= std::max(all, 1.0);
}

KernelWalk walkKernel(const Program &p, const Kernels &all, const Kernel &k,
                      const std::map<std::string, int64_t> &values, const LaunchShape &shape,
                      const DeviceSpec &device, const WalkOptions &options) {
  Kernel steps = k;
  steps.body = withReductionSteps(asCompiled(spelledOut(k).body), k.block,
                                  device.kind == DeviceKind::Cuda ? device.warp : 1, false);
  return Walker(p, all, steps, values, shape, device, options).run();
}

} // namespace nw
