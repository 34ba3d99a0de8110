// Mixes, demands, cliffs.
#include "papers/principles_steps.h"
#include "analysis/residency_profile.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::papers {

int nextCliff(const BlockNeeds &block, const DeviceSpec &device) {
  int now = occupancyOf(block, device).blocks;
  for (BlockNeeds more = block; now > 0 && ++more.registers <= device.registersPerThread;)
    if (occupancyOf(more, device).blocks < now)
      return more.registers;
  return 0;
}

namespace {

constexpr double kBytesOfAccess = 4;    // of a thread, with a mix that is given
constexpr long long kEndless = 1000000; // of a resource that the kernel does not ask for

// Instructions that are given, in the place of the walk's; nothing where none are.
std::optional<InstructionMix> givenMix(const std::map<std::string, double> &given) {
  InstructionMix mix;
  const std::pair<const char *, double *> classes[] = {{"fma", &mix.fma},
                                                       {"add", &mix.add},
                                                       {"multiply", &mix.multiply},
                                                       {"special", &mix.special},
                                                       {"integer", &mix.integer},
                                                       {"loadGlobal", &mix.loadGlobal},
                                                       {"storeGlobal", &mix.storeGlobal},
                                                       {"loadShared", &mix.loadShared},
                                                       {"storeShared", &mix.storeShared},
                                                       {"branch", &mix.branch},
                                                       {"barrier", &mix.barrier}};
  for (auto [name, value] : classes)
    if (auto found = given.find(name); found != given.end())
      *value = found->second;
  return mix.total() > 0 ? std::optional(mix) : std::nullopt;
}

// What a block takes of the register file, in the steps in which it is given out.
int64_t registersOf(const BlockNeeds &block, const DeviceSpec &d) {
  auto up = [](int64_t value, int64_t step) { return (value + step - 1) / step * step; };
  int64_t warps = up(up(block.threads, d.warp) / d.warp, d.warpGranularity);
  return d.registerUnit == RegisterUnit::Block
             ? up(warps * d.warp * block.registers, d.registerGranularity)
             : warps * up(int64_t(d.warp) * block.registers, d.registerGranularity);
}

double secondsOf(const LaunchEstimate &e, Bound bound) {
  auto found = std::ranges::find_if(e.limits, [&](const Limit &l) { return l.bound == bound; });
  return found == e.limits.end() ? 0 : found->seconds;
}

std::string byResource(const Occupancy &o) {
  std::vector<std::string> all;
  for (Resource resource :
       {Resource::Registers, Resource::SharedMemory, Resource::Threads, Resource::Blocks})
    if (long long blocks = o.blocksBy[size_t(resource)]; blocks < kEndless)
      all.push_back(fmt::format("{} {}", nameOf(resource), blocks));
  return listed(all);
}

Lines stepsOf(const EstimatedKernel &k, const std::string &name, const PaperRegion &region) {
  const DeviceSpec &d = region.device;
  auto given = [&](const char *what, double otherwise) {
    auto found = region.given.find(what);
    return found == region.given.end() ? otherwise : found->second;
  };
  const EstimatedLaunch &l = k.largest;
  const LaunchEstimate &e = l.estimate;
  std::optional<InstructionMix> instead = givenMix(region.given);
  const InstructionMix &mix = instead ? *instead : l.walk.mix;
  const BlockNeeds &block = l.work.block;
  Lines lines;
  double all = std::max(mix.total(), 1.0);
  lines.push_back(fmt::format(
      "{}: {:.1f} % of the instructions are fused multiply-adds, {:.1f} % loads and stores of "
      "global memory: {:.2f} GFLOPS if issue were all, for which memory would have to deliver "
      "{:.1f} GB/s of {:.1f}",
      name, 100 * (mix.fma + mix.fp64Fma) / all, 100 * (mix.loadGlobal + mix.storeGlobal) / all,
      instead ? potentialGflops(mix, d) : e.potentialGflops,
      instead ? bandwidthDemand(mix, kBytesOfAccess, d) : e.demandGigabytes, d.dramBandwidth));
  lines.push_back(
      fmt::format("blocks of {} threads with {} registers and {} bytes of shared memory: {} on a "
                  "multiprocessor, limited by {} (alone they would allow: {})",
                  block.threads, block.registers, block.sharedBytes, e.occupancy.blocks,
                  nameOf(e.occupancy.limiter), byResource(e.occupancy)));
  if (int cliff = nextCliff(block, d)) {
    BlockNeeds more = block;
    more.registers = cliff;
    int64_t blocks = e.occupancy.blocks, plain = int64_t(block.threads) * cliff,
            allocated = registersOf(more, d);
    lines.push_back(fmt::format(
        "cliff: with {} registers only {} fit, since {} x {} = {} registers are more than {}",
        cliff, counted(occupancyOf(more, d).blocks, "block"), blocks,
        allocated == plain ? fmt::format("{} x {}", block.threads, cliff)
                           : fmt::format("{} (as they are allocated)", allocated),
        blocks * allocated, d.registers));
  }
  double compute = std::max({secondsOf(e, Bound::Issue), secondsOf(e, Bound::Fp32),
                             secondsOf(e, Bound::Fp64), 1e-12}),
         memory = std::max(secondsOf(e, Bound::Bandwidth), secondsOf(e, Bound::CacheBandwidth));
  double full = double(e.occupancy.blocks) * d.multiprocessors,
         active = given("activeThreads", std::min(l.work.blocks, full) * block.threads),
         shared = given("sharedPerThread",
                        block.threads ? double(block.sharedBytes) / block.threads : 0),
         ratio = given("memoryToCompute", memory / compute);
  bool isKnown = l.work.blocks >= full || region.given.count("activeThreads");
  std::string rule = isKnown
                         ? nameOf(bottleneckOf({active, double(block.registers), shared, ratio}, d))
                         : "nothing, since the grid does not fill the device";
  lines.push_back(fmt::format("{:.0f} threads at a time, {:.3g} cycles of memory for each of "
                              "computation: by the rule of Table 3, {}; by the model of time, {}",
                              active, ratio, rule, k.bottleneck()));
  return lines;
}

} // namespace

Lines principlesSteps(const EstimatedRegion &estimated, const Kernels &kernels,
                      const PaperRegion &region) {
  Lines lines;
  for (const EstimatedKernel &k : estimated.kernels)
    for (const std::string &line : stepsOf(k, kernels.kernels[size_t(k.kernel)].name, region))
      lines.push_back(line);
  return lines;
}

} // namespace nw::papers
