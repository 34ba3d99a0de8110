// Forms in which threads share reductions: which to propose, and what is wrong with given ones.
#include "plan/facts.h"
#include "plan/lines.h"
#include "plan/phases.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

// How many values of the reduction's loop each thread should get at least.
constexpr int kValuesOfAThread = 4;
// Blocks are not proposed to share a reduction: on the H200, tmv 8192 took 0.068 ms with blocks of
// 32 x 32 alone and 0.160 ms with 16 blocks for each reduction and a second kernel that takes their
// results. A plan may say so where there are few reductions.

// How many values the loop has at most; nothing where that depends on sizes.
static std::optional<int64_t> mostValues(const Program &p, const BlockReductionParts &parts) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const isl::map &m : mapsOf(parts.loop.value)) {
    isl::set values =
        m.intersect_domain(p.find(inputTupleOf(m))->domain).range().intersect_params(p.context);
    std::optional<long> first = longOf(isl::manage(isl_set_dim_min_val(values.copy(), 0))),
                        last = longOf(isl::manage(isl_set_dim_max_val(values.copy(), 0)));
    if (!first || !last)
      return std::nullopt;
    low = std::min<int64_t>(low, *first);
    high = std::max<int64_t>(high, *last);
  }
  return high - low + 1;
}

// How many values the loop has at least where it has any, over all values of the parallel loop; for
// loops that do not have more than a known number.
static int64_t fewestValues(const Program &p, const BlockReductionParts &parts) {
  isl::set all;
  for (const isl::map &m : mapsOf(parts.loop.value)) {
    isl::set values =
        m.intersect_domain(p.find(inputTupleOf(m))->domain).range().intersect_params(p.context);
    all = all.is_null() ? values : all.unite(values);
  }
  isl::pw_aff beyond =
      isl::manage(isl_set_dim_max(all.copy(), 0)).sub(isl::manage(isl_set_dim_min(all.copy(), 0)));
  return longOf(isl::manage(isl_pw_aff_min_val(beyond.release()))).value_or(0) + 1;
}

static BlockReductionPlan formOf(std::vector<int> block, int from, int rowsUpTo = 0) {
  BlockReductionPlan form;
  form.block = std::move(block);
  form.profitableFrom = from;
  form.rowsUpTo = rowsUpTo;
  return form;
}

// Forms for columns of threads.
static std::vector<BlockReductionPlan> columnForms(const DeviceSpec &device) {
  int warp = powerBelow(device.warp);
  return {formOf({warp, powerBelow(device.blockThreads) / warp}, kValuesOfAThread * warp)};
}

// Forms for rows of threads: a warp for each row, eight rows in a block; and a whole block for each
// where warps alone would not fill the device.
// On the H200 (driver 580.159.04, 19 November 2026), in ms by a warp, by 256 and by 1024 threads:
// sums of 256 rows of 131072 floats 0.222, 0.049, 0.037; of 1024 x 32768 0.067, 0.039, 0.038; of
// 4096 x 8192 0.0387, 0.0368, 0.0388; of 65536 x 512 0.037, 0.084, 0.328. Where each thread runs
// another loop for a value of the one that is shared out, its work is long already: sums of 4096
// matrices of 128 x 128, with two and with eight warps in a block 0.071, 0.116, by 256 0.078; means
// of 512 channels of 256 x 196 values 0.156 by warps, 0.036 by 256, 0.055 by 1024; of 64 channels
// of 64 x 12544 2.47, 0.314, 0.065.
static std::vector<BlockReductionPlan> rowForms(const BlockReductionParts &parts,
                                                const DeviceSpec &device) {
  constexpr int kMany = 1024, kSome = 256;
  int warp = powerBelow(device.warp), most = powerBelow(device.blockThreads),
      fewRows = device.multiprocessors * device.residentThreads / warp / 2;
  bool isLong = !parts.others.empty();
  std::vector<BlockReductionPlan> all;
  auto addBlock = [&](int threads, int from) {
    threads = std::min(threads, most);
    bool isNew = threads > warp && (all.empty() || all.back().block[0] > threads);
    if (isNew && fewRows > 0)
      all.push_back(formOf({threads, 1}, from, fewRows));
  };
  addBlock(kMany, isLong ? kMany : kValuesOfAThread * kMany);
  if (isLong)
    addBlock(kSome, kSome / 2);
  int threads = powerBelow(std::min(device.blockThreads, device.preferredBlock));
  all.push_back(isLong ? formOf({warp, 2}, warp)
                       : formOf({warp, std::max(2, threads / warp)}, kValuesOfAThread * warp));
  return all;
}

void proposeBlockReduction(const Program &p, const Step &step, const StepFacts &facts,
                           const DeviceSpec &device, KernelPlan &kernel) {
  if (!facts.reduction || device.warp < 2)
    return;
  BlockReductionPlan s;
  s.loop = facts.reduction->loop.name;
  s.axis = blockReductionAxis(*facts.reduction);
  bool isX = s.axis == ThreadAxis::X;
  // Several parallel loops have threads enough: what counts is that accesses are coalesced.
  if (step.parallel.size() > 1 && facts.reduction->benefit <= facts.reduction->gridBenefit)
    return;
  std::optional<int64_t> most = mostValues(p, *facts.reduction);
  if (facts.reduction->inPhases) {
    if (isX)
      proposePhases(*facts.reduction, most ? fewestValues(p, *facts.reduction) : 1, most, device,
                    kernel);
    return;
  }
  if (device.blockThreads < 2 * powerBelow(device.warp))
    return;
  const std::string rows = kernel.grid[0];
  for (BlockReductionPlan form : isX ? rowForms(*facts.reduction, device) : columnForms(device)) {
    form.loop = s.loop;
    form.axis = s.axis;
    if (most && *most < form.profitableFrom)
      continue;
    form.lineAligned = isX && form.block[0] == kThreadsOfALine && facts.whyNotLineAligned.empty();
    kernel.blockReductions.push_back(form);
    kernel.why += fmt::format(
        "; from {0} values of {1} on{2}, {3} threads share the reduction over {1}, {4}{5}",
        form.profitableFrom, s.loop,
        form.rowsUpTo ? fmt::format(", for up to {} results", form.rowsUpTo) : "",
        form.block[size_t(s.axis)],
        isX ? "neighbours of which touch neighbouring elements"
            : fmt::format("while neighbouring threads have neighbouring values of {}", rows),
        form.lineAligned ? ", from the beginning of a line of memory on" : "");
  }
}

// What is wrong with one form in a given plan, or nothing.
static std::string wrongForm(const BlockReductionPlan &s, const StepFacts &facts,
                             const DeviceSpec &device) {
  if (s.loop != facts.reduction->loop.name)
    return fmt::format("has a blockReduction of the loop over {}; expected {}", s.loop,
                       facts.reduction->loop.name);
  char axis = "xy"[size_t(s.axis)];
  int shared = s.block[size_t(s.axis)];
  if (facts.reduction->inPhases && (s.axis != ThreadAxis::X || s.block.size() != 2))
    return "has a blockReduction over a block that is not fit for it: a row of threads has one "
           "value of the parallel loop, with axis x";
  bool isSplit = s.block.size() > 2 && s.axis == ThreadAxis::Y && s.block[2] <= kMostReducingBlocks;
  if ((s.block.size() > 2 && !isSplit) || (shared & (shared - 1)) != 0)
    return fmt::format(
        "has a blockReduction over a block that is not fit for it; expected two "
        "numbers, that along {} a power of two{}",
        axis,
        s.axis == ThreadAxis::Y
            ? fmt::format(", and perhaps a number of blocks up to {}", kMostReducingBlocks)
            : "");
  if (isSplit && facts.grid.size() > 1)
    return "has a blockReduction over several blocks, which is for steps of one parallel loop";
  if (int64_t(s.block[0]) * s.block[1] > device.blockThreads)
    return fmt::format("has a blockReduction over a block that is too large: at most {} threads",
                       device.blockThreads);
  if (facts.reduction->inPhases && !fitsSharedMemory(*facts.reduction, s.block, device))
    return "has a blockReduction for which a block has too little shared memory";
  if (isSplit && s.block[2] > device.gridLimit[1])
    return fmt::format("has a blockReduction over too many blocks: at most {} along y",
                       device.gridLimit[1]);
  if (s.lineAligned && (s.axis != ThreadAxis::X || s.block[0] != kThreadsOfALine))
    return fmt::format("has a lineAligned reduction, for which {0} threads along x share it; it "
                       "has {1} along {2}",
                       kThreadsOfALine, shared, axis);
  if (s.lineAligned && !facts.whyNotLineAligned.empty())
    return "has a lineAligned reduction, but " + facts.whyNotLineAligned;
  return "";
}

std::string wrongBlockReductions(const KernelPlan &given, const StepFacts &facts,
                                 const DeviceSpec &device) {
  if (!given.blockReductions.empty() && !facts.reduction)
    return "has a blockReduction, but no reduction that threads could share";
  for (const BlockReductionPlan &s : given.blockReductions)
    if (std::string wrong = wrongForm(s, facts, device); !wrong.empty())
      return wrong;
  return "";
}

} // namespace nw
