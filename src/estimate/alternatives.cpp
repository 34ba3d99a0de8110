// Other plans.
#include "estimate/alternatives.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

struct Variant {
  std::string what;
  Plan plan;
  bool isStrips = false;
};

constexpr size_t kMostMappings = 6;

// The same block for every kernel that can have it: threads in one dimension, and in two.
std::vector<Variant> otherBlocks(const RegionPlan &region, const DeviceSpec &device) {
  std::vector<Variant> out;
  int warp = std::max(device.warp, 16);
  const std::vector<std::pair<int, std::vector<int>>> shapes = {{2 * warp, {warp, 4}},
                                                                {4 * warp, {2 * warp, 4}},
                                                                {8 * warp, {warp / 2, 16}},
                                                                {16 * warp, {4 * warp, 2}},
                                                                {32 * warp, {8 * warp, 1}}};
  for (auto &[one, two] : shapes) {
    if (one > device.blockThreads || two[0] * two[1] > device.blockThreads)
      continue;
    Variant v{fmt::format("blocks of {}x{} ({} in one dimension)", two[0], two[1], one),
              region.plan};
    bool changes = false;
    for (size_t n = 0; n < v.plan.kernels.size(); n++)
      if (region.facts[n].kind != StepKind::Serial) {
        KernelPlan &k = v.plan.kernels[n];
        std::vector<int> block =
            k.grid.size() > 1 && region.facts[n].isParallel() ? two : std::vector<int>{one};
        changes |= block != k.block;
        k.block = block;
      }
    if (changes)
      out.push_back(v);
  }
  return out;
}

// Another of the parallel loops along neighbouring threads.
std::vector<Variant> otherMappings(const RegionPlan &region) {
  const Plan &plan = region.plan;
  std::vector<Variant> out;
  for (size_t k = 0; k < plan.kernels.size(); k++)
    for (size_t d = 1; d < plan.kernels[k].grid.size() && region.facts[k].isParallel(); d++) {
      Variant v{
          fmt::format("{} along the threads of {}", plan.kernels[k].grid[d], plan.kernels[k].name),
          plan};
      std::vector<std::string> &grid = v.plan.kernels[k].grid;
      std::rotate(grid.begin(), grid.begin() + long(d), grid.begin() + long(d) + 1);
      if (out.size() < kMostMappings)
        out.push_back(v);
    }
  return out;
}

std::vector<Variant> otherReductions(const RegionPlan &region) {
  const Plan &plan = region.plan;
  std::vector<Variant> out;
  if (std::ranges::any_of(region.facts,
                          [](const StepFacts &f) { return f.kind == StepKind::Reduction; }))
    for (int blocks : {64, 256})
      if (blocks != plan.reductionBlocks) {
        out.push_back({fmt::format("reductions over {} blocks", blocks), plan});
        out.back().plan.reductionBlocks = blocks;
      }
  return out;
}

// Steps in one of their forms, whatever the sizes: plain, or tiles of one kind; reductions that
// each thread does for itself.
std::vector<Variant> otherForms(const RegionPlan &region) {
  const Plan &plan = region.plan;
  std::vector<Variant> out;
  for (size_t k = 0; k < plan.kernels.size(); k++) {
    const KernelPlan &step = plan.kernels[k];
    for (TilePlan t : step.tiles) {
      Variant v{fmt::format("tiles of {} x {} for {}", t.block[0] * t.threadTile[0],
                            t.block[1] * t.threadTile[1], step.name),
                plan};
      t.profitableFrom = 0;
      v.plan.kernels[k].tiles = {t};
      out.push_back(v);
    }
    if (!step.tiles.empty()) {
      out.push_back({fmt::format("no tiles for {}", step.name), plan});
      out.back().plan.kernels[k].tiles.clear();
    }
    for (const StripForm &f : region.facts[k].strips) {
      out.push_back(
          {fmt::format("{} of {} through shared memory, by strips of rows (--coalesce={})",
                       f.what == "both" ? "loads and stores" : f.what, step.name, f.what),
           plan, true});
      out.back().plan.kernels[k].tiles = {f.tiles};
      out.back().plan.kernels[k].blockReductions.clear();
    }
    if (step.blockReductions.size() > 1)
      for (BlockReductionPlan b : step.blockReductions) {
        Variant v{fmt::format("blocks of {} x {} for the rows of {}, however long", b.block[0],
                              b.block[1], step.name),
                  plan};
        b.profitableFrom = b.rowsUpTo = 0;
        v.plan.kernels[k].blockReductions = {b};
        out.push_back(v);
      }
    if (!step.blockReductions.empty()) {
      out.push_back({fmt::format("each thread reduces on its own in {}", step.name), plan});
      out.back().plan.kernels[k].blockReductions.clear();
    }
  }
  return out;
}

// The kernels of a variant, each held against the one that the plan has: of the same code, or else
// of the same name.
ResourcesOf ofVariant(const Program &program, const Kernels &kernels, const DeviceSpec &device,
                      const ResourcesOf &taken) {
  return [&](const Kernel &k) {
    std::string code = print(k.body, 0);
    for (const Kernel &o : kernels.kernels)
      if (o.block == k.block && o.isResident() == k.isResident() && print(o.body, 0) == code)
        return taken(o);
    auto own = std::find_if(kernels.kernels.begin(), kernels.kernels.end(),
                            [&](const Kernel &o) { return o.name == k.name; });
    KernelResources model = modelledResources(program, k, device);
    return own == kernels.kernels.end()
               ? model
               : resourcesOfVariant(taken(*own), modelledResources(program, *own, device), model,
                                    k.block[0] * k.block[1] * k.block[2], device);
  };
}

// How many blocks of tiles a multiprocessor has at a time.
std::string occupancyOfTiles(const Kernels &kernels, const EstimatedRegion &e) {
  for (const EstimatedKernel &k : e.kernels)
    if (kernels.kernels[size_t(k.kernel)].isTiled())
      return fmt::format(", {} block{} on a multiprocessor", k.largest.estimate.occupancy.blocks,
                         k.largest.estimate.occupancy.blocks == 1 ? "" : "s");
  return "";
}

Alternative summed(const std::string &what, const Kernels &kernels, const EstimatedRegion &e) {
  Alternative a;
  a.what = what;
  a.seconds = e.seconds;
  for (const EstimatedKernel &k : e.kernels)
    a.kernels[kernels.kernels[size_t(k.kernel)].name] = k.seconds;
  return a;
}

} // namespace

KernelResources resourcesOfVariant(const KernelResources &taken,
                                   const KernelResources &modelOfTaken,
                                   const KernelResources &model, int threads,
                                   const DeviceSpec &device) {
  constexpr int kStep = 8; // compilers give registers in such steps when a block has to fit
  KernelResources out = taken;
  out.registers += model.registers - modelOfTaken.registers;
  out.sharedBytes += model.sharedBytes - modelOfTaken.sharedBytes;
  int most = std::min(device.registersPerThread,
                      int(device.registers / std::max(threads, 1)) / kStep * kStep);
  out.registers = std::clamp(out.registers, kStep, std::max(most, kStep));
  out.isMeasured = taken.isMeasured && model.registers == modelOfTaken.registers &&
                   out.registers == taken.registers;
  return out;
}

Alternatives estimateAlternatives(const Program &program, const RegionPlan &region,
                                  const Kernels &kernels, const Relower &relower,
                                  const std::map<std::string, int64_t> &sizes,
                                  const DeviceSpec &device, const ResourcesOf &resources,
                                  const RegionOptions &options) {
  Alternatives out;
  std::vector<Variant> variants = otherBlocks(region, device);
  for (auto &more : {otherMappings(region), otherReductions(region), otherForms(region)})
    variants.insert(variants.end(), more.begin(), more.end());
  for (const Variant &v : variants) {
    try {
      Kernels other = relower(v.plan);
      EstimatedRegion e = estimateRegion(program, other, sizes, device,
                                         ofVariant(program, kernels, device, resources), options);
      out.all.push_back(summed(v.what + (v.isStrips ? occupancyOfTiles(other, e) : ""), other, e));
      out.all.back().isStrips = v.isStrips;
    } catch (const Diagnostic &) {
      out.failed.push_back(v.what);
    } catch (const isl::exception &) {
      out.failed.push_back(v.what);
    }
  }
  if (hasForm(kernels.host, KernelForm::Resident))
    for (auto [form, what] : {std::pair{FormWanted::Plain, "a launch for each step"},
                              {FormWanted::Resident, "a resident kernel with barriers"}}) {
      RegionOptions forced = options;
      forced.form = form;
      out.all.push_back(summed(what, kernels,
                               estimateRegion(program, kernels, sizes, device, resources, forced)));
    }
  return out;
}

} // namespace nw
