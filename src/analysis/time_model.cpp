// The model of time.
#include "analysis/time_model.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace nw {

double issueRate(const DeviceSpec &d) {
  return std::min(d.issuePerCycle * d.warp, double(d.coresPerMultiprocessor)) * d.multiprocessors *
         d.clockGigahertz * 1e9;
}

double potentialGflops(const InstructionMix &mix, const DeviceSpec &device) {
  return mix.total() > 0 ? mix.flops() / mix.total() * issueRate(device) * 1e-9 : 0;
}

double bandwidthDemand(const InstructionMix &mix, double bytesPerAccess, const DeviceSpec &device) {
  return mix.total() > 0 ? (mix.loadGlobal + mix.storeGlobal) / mix.total() * bytesPerAccess *
                               issueRate(device) * 1e-9
                         : 0;
}

namespace {

constexpr double kBytesPerCycle =
    64; // that one multiprocessor can get from the second level, however few there are
constexpr double kStoreCycles =
    2; // of a line that is stored: half of it goes out in a cycle, whatever part of it was written
constexpr double kWavesInStep = 4; // after so many waves of blocks their waits hide each other
// Fitted to the board, the programs at LARGE and plans drawn at random (docs/tuning.md):
constexpr double kHiding =
    1.5; // how much of working and waiting is at the same time: 1 for none, infinity for all
constexpr double kOwnWork = 0.2;  // part of a warp's own instructions that others do not hide
constexpr double kTurnover = 0.3; // a block makes room when its last warp has ended: the fewer
                                  // there are, the more is idle until the next one asks
constexpr double kResidentOfCopy =
    8; // blocks on a multiprocessor when the rate of a copy is measured
constexpr double kArrivals =
    1.0 /
    3; // of a barrier of one block on each multiprocessor: atomics on one word, one after the other

double over(double work, double rate) { return work <= 0 ? 0 : rate > 0 ? work / rate : 1e30; }

// Waits that no other warp fills: told apart by whether more warps could be there.
Bound boundOfWaiting(const LaunchWork &work, const LaunchEstimate &e, const DeviceSpec &device) {
  bool isDeviceFull = work.blocks >= double(device.multiprocessors) * e.occupancy.blocks;
  return isDeviceFull ? Bound::Latency : Bound::TooFewThreads;
}

std::string wordsFor(const LaunchEstimate &e) {
  if (e.bound != Bound::Latency)
    return nameOf(e.bound);
  switch (e.occupancy.share < 0.75 ? e.occupancy.limiter : Resource::Threads) {
  case Resource::Registers:
    return "register file capacity: too few threads to hide memory latency";
  case Resource::SharedMemory:
    return "shared memory capacity: too few threads to hide memory latency";
  case Resource::Blocks:
    return "thread block limit: too few threads to hide memory latency";
  case Resource::Threads:
    break;
  }
  return nameOf(Bound::Latency);
}

} // namespace

double barrierMicroseconds(double blocks, const DeviceSpec &d) {
  return d.gridBarrierMicroseconds * (1 - kArrivals + kArrivals * blocks / d.multiprocessors);
}

LaunchEstimate estimate(const LaunchWork &w, const DeviceSpec &d) {
  LaunchEstimate e;
  e.occupancy = occupancyOf(w.block, d);
  double cycle = 1e-9 / d.clockGigahertz, resident = std::max(e.occupancy.blocks, 1);
  auto among = [&](double blocks) {
    return std::min(double(d.multiprocessors), std::max(blocks, 1.0));
  };
  double processors = among(w.blocks),
         working = w.busyBlocks > 0 ? among(w.busyBlocks) : processors,
         perCycle = working / cycle / d.warp;
  double reach = kBytesPerCycle * processors / cycle;
  const InstructionMix &m = w.mix;
  e.rounds = std::max(1.0, w.blocks / (resident * d.multiprocessors));
  // Blocks come in whole rounds per multiprocessor: the last one may leave most of them idle.
  double uneven =
      std::max(1.0, std::ceil(w.blocks / d.multiprocessors) * processors / std::max(w.blocks, 1.0));
  uneven = e.rounds > 4 ? 1 : uneven;
  double accesses = m.loadGlobal + m.storeGlobal + m.loadShared + m.storeShared;
  auto add = [&](Bound bound, double seconds) { e.limits.push_back({bound, seconds}); };
  add(Bound::Issue, over(m.total(), d.issuePerCycle * working / cycle) * uneven);
  add(Bound::Fp32, over(m.fma + m.add + m.multiply, d.fp32PerCycle * perCycle) * uneven);
  add(Bound::Fp64, over(m.fp64, d.fp64PerCycle * perCycle) * uneven);
  add(Bound::Special, over(m.special, d.specialPerCycle * perCycle) * uneven);
  add(Bound::Integer, over(m.integer, d.integerPerCycle * perCycle) * uneven);
  double lines = w.cacheLookups / d.l1LinesPerCycle + w.storedLines * kStoreCycles;
  add(Bound::LoadStore,
      std::max(over(accesses, d.loadStorePerCycle * perCycle), over(lines, processors / cycle)) *
          uneven);
  add(Bound::SharedMemory, over(w.sharedTurns * d.sharedTurnCycles, processors / cycle) * uneven);
  if (d.l2Bandwidth > 0)
    add(Bound::CacheBandwidth, over(w.secondBytes, std::min(d.l2Bandwidth * 1e9, reach)));
  double spills = w.spilledBytes * w.block.threads * w.blocks;
  double turnover =
      e.rounds > 1 ? std::max(1.0, 1 + kTurnover * (1 / resident - 1 / kResidentOfCopy)) : 1;
  add(Bound::Bandwidth, over(w.memoryBytes + spills * 0.1, std::min(d.copyBandwidth * 1e9, reach)) *
                            turnover); // most spills stay in the caches
  double units = 0;                    // the slowest of them alone
  for (const Limit &l : e.limits)
    units = std::max(units, l.seconds);
  double waiting = std::max(w.longestWaitCycles, w.waitCycles * e.rounds) * cycle;
  // Blocks that have little to do make room for others.
  double waves = std::ceil(std::max(1.0, w.longestWaitCycles > 0
                                             ? e.rounds * w.waitCycles / w.longestWaitCycles
                                             : e.rounds) -
                           1e-9);
  double exposed = (w.longestWaitCycles - (1 - kOwnWork) * w.longestWorkCycles) * cycle *
                   (resident == 1 ? waves : std::min(waves, kWavesInStep));
  add(boundOfWaiting(w, e, d), waiting);
  double barriers = w.gridBarriers * barrierMicroseconds(w.blocks, d) * 1e-6;
  add(Bound::Barriers, barriers);
  std::stable_sort(e.limits.begin(), e.limits.end(),
                   [](const Limit &a, const Limit &b) { return a.seconds > b.seconds; });
  // Other warps work while one waits, but not all of the time, since they begin together: more than
  // either, and less than both.
  double hiding = resident == 1 ? 1 : kHiding;
  e.seconds =
      std::max(waiting, std::pow(std::pow(units, hiding) + std::pow(exposed, hiding), 1 / hiding)) +
      barriers;
  e.bound = e.limits[0].bound;
  e.bottleneck = wordsFor(e);
  e.potentialGflops = potentialGflops(m, d);
  double threads = w.blocks * w.block.threads, issued = over(m.total(), issueRate(d) / d.warp);
  e.demandGigabytes = issued > 0 ? w.memoryBytes / issued * 1e-9 : 0;
  double inFlight =
      std::min(double(e.occupancy.warps) * d.multiprocessors, std::ceil(threads / d.warp));
  e.bytesInFlight = inFlight * w.loadsInFlight;
  e.bytesNeeded = d.dramBandwidth * d.memoryLatency;
  return e;
}

LaunchEstimate inSequence(const std::vector<LaunchEstimate> &phases) {
  LaunchEstimate out = phases.at(0);
  std::map<Bound, double> limits, spent;
  std::map<Bound, std::string> words;
  out.seconds = out.bytesInFlight = 0;
  for (const LaunchEstimate &p : phases) {
    out.seconds += p.seconds;
    out.bytesInFlight = std::max(out.bytesInFlight, p.bytesInFlight);
    spent[p.bound] += p.seconds;
    words[p.bound] = p.bottleneck;
    for (const Limit &l : p.limits)
      limits[l.bound] += l.seconds;
  }
  out.limits.clear();
  for (auto &[bound, seconds] : limits)
    out.limits.push_back({bound, seconds});
  std::stable_sort(out.limits.begin(), out.limits.end(),
                   [](const Limit &a, const Limit &b) { return a.seconds > b.seconds; });
  auto most = std::max_element(spent.begin(), spent.end(),
                               [](auto &a, auto &b) { return a.second < b.second; });
  out.bound = most->first;
  out.bottleneck = words[out.bound];
  return out;
}

// Half of a launch is the host's, which runs ahead; the other half is the device's gap between two
// kernels.
double inARow(double seconds, const DeviceSpec &d) {
  double launch = d.launchMicroseconds * 1e-6;
  return std::max(launch, seconds + launch / 2);
}

double transferSeconds(double toDevice, double fromDevice, int copies, const DeviceSpec &d,
                       bool isPinned) {
  double to = isPinned ? d.toDeviceBandwidth : d.toDevicePageable,
         from = isPinned ? d.fromDeviceBandwidth : d.fromDevicePageable;
  return over(toDevice, to * 1e9) + over(fromDevice, from * 1e9) +
         copies * d.transferMicroseconds * 1e-6;
}

const char *nameOf(Bound bound) {
  switch (bound) {
  case Bound::Issue:
    return "instruction issue";
  case Bound::Fp32:
    return "floating-point throughput";
  case Bound::Fp64:
    return "64-bit floating-point throughput";
  case Bound::Special:
    return "special function units";
  case Bound::Integer:
    return "integer throughput";
  case Bound::LoadStore:
    return "load and store issue";
  case Bound::SharedMemory:
    return "shared memory bandwidth";
  case Bound::CacheBandwidth:
    return "cache bandwidth";
  case Bound::Bandwidth:
    return "global memory bandwidth";
  case Bound::Latency:
    return "global memory latency";
  case Bound::TooFewThreads:
    return "too few threads to hide latency";
  case Bound::Barriers:
    return "global synchronization";
  case Bound::Launches:
    return "kernel launches";
  case Bound::Transfer:
    return "CPU-GPU transfer";
  }
  return "";
}

} // namespace nw
