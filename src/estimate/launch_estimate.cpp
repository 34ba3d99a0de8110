// From the walk to the model.
#include "estimate/launch_estimate.h"
#include "estimate/lane_value.h"
#include "ir/evaluate.h"
#include <algorithm>
#include <cmath>

namespace nw {

namespace {

constexpr double kIssueGap = 2;        // cycles between instructions of one warp, on average
constexpr double kBarrierCycles = 30;  // of a block

std::vector<ReferenceShape> shapesOf(const KernelWalk &walk, const Kernels &kernels, const DeviceSpec &device, const std::map<std::string, int64_t> &values) {
  std::vector<ReferenceShape> out;
  for (const Reference &r : walk.references) {
    ReferenceShape s;
    s.array = r.array;
    s.elementBytes = r.elementBytes;
    s.isWrite = r.isWrite;
    s.isRegular = r.isRegular;
    s.loop = r.loop;
    s.offset = r.offset;
    if (r.buffer < 0 || r.accesses <= 0) { // shared memory is no traffic
      s.accesses = 0;
      out.push_back(s);
      continue;
    }
    s.accesses = r.issued;
    s.transactions = r.transactions / r.accesses;
    s.transactionBytes = r.transactions > 0 ? r.transactionBytes / r.transactions : 0;
    const Buffer &b = kernels.buffers[size_t(r.buffer)];
    s.arrayBytes = double(evaluate(b.high, values).value_or(0) - evaluate(b.low, values).value_or(0)) * double(b.elementBytes);
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
    double pastSecond = d.l2Bytes > 0 ? pastFirst * std::min(1.0, t.memoryBytes / std::max(t.secondBytes, 1.0)) : pastFirst;
    double first = d.l1Bytes > 0 ? d.l1Latency : 0, second = d.l2Bytes > 0 ? d.l2Latency : 0;
    worst = std::max(worst, first * (1 - pastFirst) + second * (pastFirst - pastSecond) + d.memoryLatency * pastSecond);
  }
  return worst * d.clockGigahertz;
}

double waitOf(const Stage &s, const std::vector<Traffic> &traffic, const DeviceSpec &d) {
  double shared = s.touchesShared ? 24 : 0;
  double together = (loadCycles(s, traffic, d) + shared + s.longestExpression * d.arithmeticLatency) / s.overlap;
  return std::max(s.recurrence * d.arithmeticLatency, together);
}

} // namespace

EstimatedLaunch estimateLaunch(const Program &program, const Kernels &kernels, const Kernel &kernel, const std::map<std::string, int64_t> &values, const LaunchShape &shape,
                               const KernelResources &resources, const DeviceSpec &d, const LaunchOptions &options) {
  EstimatedLaunch out;
  out.shape = shape;
  out.walk = walkKernel(program, kernels, kernel, values, shape, d, options.walk);
  LaunchWork &w = out.work;
  w.block = {shape.threads(), resources.registers, std::max(resources.sharedBytes, out.walk.sharedBytes)};
  w.blocks = shape.blocks();
  w.mix = out.walk.mix;
  w.spilledBytes = resources.spilledBytes;
  Occupancy o = occupancyOf(w.block, d);
  double resident = std::max(1.0, std::min(double(o.blocks), std::ceil(w.blocks / d.multiprocessors)));
  CacheSizes caches;
  // Where cache and shared memory are one, blocks leave what they do not take.
  double left = d.l1Bytes > d.sharedPerMultiprocessor ? double(d.l1Bytes) - resident * double(w.block.sharedBytes) : double(d.l1Bytes);
  caches.firstBytes = std::max(0.0, left) / resident;
  caches.secondBytes = double(d.l2Bytes);
  caches.residentBlocks = std::min(w.blocks, double(o.blocks) * d.multiprocessors);
  out.traffic = trafficOf(shapesOf(out.walk, kernels, d, values), caches, d);
  for (size_t k = 0; k < out.traffic.size(); k++) {
    const Reference &r = out.walk.references[k];
    if (options.isWarm && d.l2Bytes > 0)
      out.traffic[k].memoryBytes = 0;
    w.secondBytes += out.traffic[k].secondBytes;
    w.memoryBytes += out.traffic[k].memoryBytes;
    if (r.accesses > 0) {
      w.cacheLookups += r.buffer >= 0 ? r.issued * r.lines / r.accesses : 0;
      w.sharedTurns += r.buffer < 0 ? r.issued * r.turns / r.accesses : 0;
    }
  }
  double gap = w.mix.total() / std::max(out.walk.warps, 1.0) * std::max(kIssueGap, 1 / d.issuePerCycle);
  double barriers = out.walk.blockBarriers * kBarrierCycles;
  double average = 0, longest = 0;
  std::vector<double> waits;
  for (const Stage &s : out.walk.stages) {
    waits.push_back(waitOf(s, out.traffic, d));
    average += s.visits * waits.back();
    double bytes = 0;
    for (size_t k : s.loads)
      bytes += out.walk.references[k].accesses > 0 ? out.walk.references[k].transactionBytes / out.walk.references[k].accesses : 0;
    w.loadsInFlight = std::max(w.loadsInFlight, bytes * s.overlap);
  }
  for (const std::vector<double> &visits : out.walk.visitsOfWarps) {
    double sum = 0;
    for (size_t s = 0; s < visits.size(); s++)
      sum += visits[s] * waits[s];
    longest = std::max(longest, sum);
  }
  w.waitCycles = average + gap + barriers;
  w.longestWaitCycles = longest + gap + barriers;
  w.gridBarriers = out.walk.gridBarriers;
  w.blockBarriers = out.walk.blockBarriers;
  out.estimate = estimate(w, d);
  return out;
}

} // namespace nw
