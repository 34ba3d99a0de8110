// From the walk to the model.
#include "estimate/launch_estimate.h"
#include "estimate/lane_value.h"
#include "ir/evaluate.h"
#include <algorithm>
#include <cmath>

namespace nw {

namespace {

constexpr double kIssueGap = 2;       // cycles between instructions of one warp, on average
constexpr double kBarrierCycles = 30; // of a block
constexpr double kStartCycles = 1200; // until a block that gets its multiprocessor executes:
                                      // registers, first instructions, arguments

std::vector<ReferenceShape> shapesOf(const KernelWalk &walk, const Kernels &kernels,
                                     const DeviceSpec &device,
                                     const std::map<std::string, int64_t> &values) {
  std::vector<ReferenceShape> out;
  for (const Reference &r : walk.references) {
    ReferenceShape s;
    s.array = r.array;
    s.elementBytes = r.elementBytes;
    s.isWrite = r.isWrite;
    s.isRegular = r.isRegular;
    s.loop = r.loop;
    s.offset = r.offset;
    if (r.buffer < 0 || r.accesses <= 0) { // shared memory is not a traffic
      s.accesses = 0;
      out.push_back(s);
      continue;
    }
    s.accesses = r.issued;
    s.transactions = r.transactions / r.accesses;
    s.transactionBytes = r.transactions > 0 ? r.transactionBytes / r.transactions : 0;
    const Buffer &b = kernels.buffers[size_t(r.buffer)];
    s.arrayBytes =
        double(evaluate(b.high, values).value_or(0) - evaluate(b.low, values).value_or(0)) *
        double(b.elementBytes);
    auto stride = [&](size_t d) { return d < r.strides.size() ? r.strides[d] : 0.0; };
    // Those that get there; guards keep whole rows of threads away.
    auto extent = [&](size_t d) { return std::max(1.0, double(r.last[d] - r.first[d] + 1)); };
    s.threads[0] = {stride(kThreadX), extent(kThreadX)};
    s.threads[1] = {stride(kThreadY), extent(kThreadY)};
    s.blocks[0] = {stride(kBlockX), extent(kBlockX)};
    s.blocks[1] = {stride(kBlockY), extent(kBlockY)};
    s.keptLoops = r.keptLoops;
    double box = s.threads[0].count * s.threads[1].count * s.blocks[0].count * s.blocks[1].count;
    for (size_t k = 0; k < r.counts.size(); k++) {
      s.loops.push_back({stride(kFirstLoop + k), r.counts[k]});
      box *= r.counts[k];
    }
    s.boxShare = std::min(1.0, r.accesses * device.warp / std::max(box, 1.0));
    out.push_back(s);
  }
  return out;
}

// Cycles until the loads of a stage are there, for as many iterations as are in flight together.
double loadCycles(const Stage &stage, const std::vector<Traffic> &traffic, const DeviceSpec &d) {
  double worst = 0;
  for (size_t k : stage.loads) {
    const Traffic &t = traffic[k];
    if (t.firstBytes <= 0)
      continue;
    // One of them that is not there keeps all of them waiting.
    double pastFirst = std::min(1.0, stage.overlap * t.newToWarp);
    double pastSecond =
        d.l2Bytes > 0 ? pastFirst * std::min(1.0, t.memoryBytes / std::max(t.secondBytes, 1.0))
                      : pastFirst;
    double first = d.l1Bytes > 0 ? d.l1Latency : 0, second = d.l2Bytes > 0 ? d.l2Latency : 0;
    worst = std::max(worst, first * (1 - pastFirst) + second * (pastFirst - pastSecond) +
                                d.memoryLatency * pastSecond);
  }
  return worst * d.clockGigahertz;
}

// Of one access that meets no conflict.
double sharedCycles(const DeviceSpec &d) {
  return std::max(24.0, d.sharedStartCycles + d.sharedRequestCycles);
}

double waitOf(const Stage &s, const std::vector<Traffic> &traffic, const DeviceSpec &d) {
  double shared = s.touchesShared ? sharedCycles(d) : 0;
  double together =
      (loadCycles(s, traffic, d) + shared + s.longestExpression * d.arithmeticLatency) / s.overlap;
  return std::max(s.recurrence * d.arithmeticLatency, together);
}

// The work between two barriers of the grid, by the blocks that have a part in it.
LaunchWork phaseOf(const EstimatedLaunch &launch, int phase, const DeviceSpec &d) {
  const KernelWalk &walk = launch.walk;
  LaunchWork w = launch.work;
  w.mix = walk.phases[size_t(phase)];
  w.gridBarriers = 0;
  w.secondBytes = w.memoryBytes = w.cacheLookups = w.storedLines = w.sharedTurns = 0;
  w.loadsInFlight = 1;
  double active = 0;
  for (size_t k = 0; k < walk.references.size(); k++) {
    const Reference &r = walk.references[k];
    if (r.phase != phase || r.accesses <= 0)
      continue;
    w.secondBytes += launch.traffic[k].secondBytes;
    w.memoryBytes += launch.traffic[k].memoryBytes;
    (r.isWrite ? w.storedLines : w.cacheLookups) +=
        r.buffer >= 0 ? r.issued * r.lines / r.accesses : 0;
    w.sharedTurns += r.issuedTurns;
    active = std::max(active, double(r.last[kBlockX] - r.first[kBlockX] + 1) *
                                  double(r.last[kBlockY] - r.first[kBlockY] + 1));
  }
  w.cacheLookups += walk.ownLoads / double(walk.phases.size());
  w.storedLines += walk.ownStores / double(walk.phases.size());
  w.secondBytes += walk.ownStores / double(walk.phases.size()) *
                   d.transactionBytes.back(); // stores go through the first level
  if (walk.phases.size() > 1 && active > 0)
    w.blocks = std::min(w.blocks, active);
  double gap = std::max(kIssueGap, 1 / d.issuePerCycle), shared = sharedCycles(d);
  double barriers =
      (walk.blockBarriers * kBarrierCycles + (walk.blockBarriers - walk.reducedBarriers) * shared) /
      double(walk.phases.size());
  double average = 0, longest = 0, most = 0, worked = 0;
  std::vector<double> waits(walk.stages.size(), 0.0);
  for (size_t n = 0; n < walk.stages.size(); n++) {
    const Stage &s = walk.stages[n];
    if (s.phase != phase)
      continue;
    waits[n] = waitOf(s, launch.traffic, d);
    average += s.visits * waits[n];
    double bytes = 0;
    for (size_t k : s.loads)
      bytes += walk.references[k].accesses > 0
                   ? walk.references[k].transactionBytes / walk.references[k].accesses
                   : 0;
    w.loadsInFlight = std::max(w.loadsInFlight, bytes * s.overlap);
  }
  for (size_t one = 0; one < walk.visitsOfWarps.size(); one++) {
    const std::vector<double> &visits = walk.visitsOfWarps[one];
    double instructions = walk.instructionsOfWarps[one][size_t(phase)], sum = gap * instructions;
    for (size_t n = 0; n < visits.size(); n++)
      sum += visits[n] * waits[n];
    if (sum > longest) {
      longest = sum;
      worked = gap * instructions;
    }
    most = std::max(most, instructions);
  }
  double each = w.mix.total() / std::max(walk.warps, 1.0); // of those that have nothing to do, too
  w.busyBlocks =
      most > 0 ? std::max(1.0, launch.work.blocks * std::min(1.0, each / most)) : w.blocks;
  double share =
      std::max(w.blocks, w.busyBlocks) / launch.work.blocks; // of the warps, those that take part
  double start = phase == 0 ? kStartCycles : 0;
  w.waitCycles = std::min(longest, (average + gap * each) / share) + barriers + start;
  w.longestWaitCycles = longest + barriers + start;
  w.longestWorkCycles = worked;
  return w;
}

} // namespace

EstimatedLaunch estimateLaunch(const Program &program, const Kernels &kernels, const Kernel &kernel,
                               const std::map<std::string, int64_t> &values,
                               const LaunchShape &shape, const KernelResources &resources,
                               const DeviceSpec &d, const LaunchOptions &options) {
  EstimatedLaunch out;
  out.shape = shape;
  WalkOptions walk = options.walk;
  walk.stackBytes = resources.stackBytes;
  out.walk = walkKernel(program, kernels, kernel, values, shape, d, walk);
  if ((out.innerLoop = innerLoopOf(out.walk, resources.loops)))
    takeCompilersMix(out.walk, *out.innerLoop);
  LaunchWork &w = out.work;
  w.block = {shape.threads(), resources.registers,
             std::max(resources.sharedBytes, out.walk.sharedBytes)};
  w.blocks = shape.blocks();
  w.mix = out.walk.mix;
  w.spilledBytes = resources.spilledBytes;
  Occupancy o = occupancyOf(w.block, d);
  double resident =
      std::max(1.0, std::min(double(o.blocks), std::ceil(w.blocks / d.multiprocessors)));
  CacheSizes caches;
  // Where cache and shared memory are one, blocks leave what they do not take.
  double left = d.l1Bytes > d.sharedPerMultiprocessor
                    ? double(d.l1Bytes) - resident * double(w.block.sharedBytes)
                    : double(d.l1Bytes);
  caches.firstBytes = std::max(0.0, left) / resident;
  caches.secondBytes = double(d.l2Bytes);
  caches.residentBlocks = std::min(w.blocks, double(o.blocks) * d.multiprocessors);
  out.traffic = trafficOf(shapesOf(out.walk, kernels, d, values), caches, d);
  for (size_t k = 0; k < out.traffic.size(); k++)
    if (options.isWarm && d.l2Bytes > 0)
      out.traffic[k].memoryBytes = 0;
  std::vector<LaunchEstimate> &phases = out.phases;
  for (size_t p = 0; p < out.walk.phases.size(); p++)
    phases.push_back(estimate(phaseOf(out, int(p), d), d));
  w.gridBarriers = out.walk.gridBarriers;
  w.blockBarriers = out.walk.blockBarriers;
  if (w.gridBarriers > 0) {
    LaunchWork barriers;
    barriers.block = w.block;
    barriers.blocks = w.blocks;
    barriers.gridBarriers = w.gridBarriers;
    barriers.waitCycles = barriers.longestWaitCycles =
        w.gridBarriers * d.l2Latency * d.clockGigahertz; // until what was stored has arrived
    phases.push_back(estimate(barriers, d));
  }
  for (size_t p = 0; p < out.walk.phases.size(); p++) {
    LaunchWork one = phaseOf(out, int(p), d);
    w.secondBytes += one.secondBytes;
    w.memoryBytes += one.memoryBytes;
    w.cacheLookups += one.cacheLookups;
    w.storedLines += one.storedLines;
    w.sharedTurns += one.sharedTurns;
    w.waitCycles += one.waitCycles;
    w.longestWaitCycles += one.longestWaitCycles;
    w.loadsInFlight = std::max(w.loadsInFlight, one.loadsInFlight);
  }
  out.estimate = phases.size() == 1 ? phases[0] : inSequence(phases);
  LaunchEstimate whole = estimate(w, d); // what is asked of the launch as a whole
  out.estimate.potentialGflops = whole.potentialGflops;
  out.estimate.demandGigabytes = whole.demandGigabytes;
  return out;
}

} // namespace nw
