// From estimates to words.
#include "estimate/lane_value.h"
#include "estimate/loop_facts.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "report/explanation.h"
#include "report/obstacles.h"
#include "support/text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace nw {

namespace {

std::string patternOf(const Reference &r, double perAccess, double ideal) {
  if (!r.isRegular)
    return "scattered: data decide";
  double stride = r.strides.empty() ? 0 : r.strides[kThreadX] / r.elementBytes;
  if (r.buffer < 0)
    return perAccess > ideal * 1.01 ? "bank conflicts" : "no bank conflicts";
  if (stride == 0)
    return "broadcast";
  if (std::fabs(stride) == 1)
    return perAccess > ideal * 1.05 ? "coalesced, not aligned"
           : stride > 0             ? "coalesced"
                                    : "coalesced, backward";
  return "strided";
}

ExplainedReference referenceOf(const Reference &r, const Traffic &t) {
  ExplainedReference x;
  x.text = r.text;
  x.line = r.at.line;
  x.isWrite = r.isWrite;
  x.accesses = r.accesses;
  bool isShared = r.buffer < 0;
  double accesses = isShared ? r.issued : r.accesses;
  if (accesses > 0) {
    x.transactions = (isShared ? r.issuedTurns : r.transactions) / accesses;
    x.ideal = (isShared ? r.issuedIdealTurns : r.ideal) / accesses;
  }
  x.pattern = patternOf(r, x.transactions, x.ideal);
  if (r.isRegular && !r.strides.empty())
    x.stride = r.strides[kThreadX] / r.elementBytes;
  x.bytesAsked = t.firstBytes;
  x.bytesFromSecond = t.secondBytes;
  x.bytesFromMemory = t.memoryBytes;
  return x;
}

// What the plan says about the array in the kernel's steps.
std::string plannedWhy(const std::string &array, const RegionPlan &plan, const Kernel &k) {
  std::vector<std::string> reasons;
  for (const KernelPlan *step : stepsOf(plan, k))
    for (const ArrayPlan &a : step->arrays)
      if (a.name == array && !a.why.empty() && !std::count(reasons.begin(), reasons.end(), a.why))
        reasons.push_back(a.why);
  return joined(reasons, "; ");
}

const char *memoryOf(const Reference &r, const Kernel &k) {
  for (const KernelParameter &q : k.parameters)
    if (r.buffer >= 0 && q.buffer == r.buffer && q.space == MemorySpace::Constant)
      return "constant";
  return r.buffer < 0 ? "shared" : "global";
}

std::string sizeText(const std::vector<int64_t> &extents) {
  std::string text;
  for (int64_t x : extents)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", x);
  return text;
}

// Of a copy in shared memory: what it holds, and how it is laid out.
std::string whyCopied(const StagedCopy &copy, const TilePlan *tile) {
  std::string text = fmt::format(
      "a copy of what a tile reads of {}, which all threads of the block use: {} elements",
      copy.array, sizeText(copy.extents));
  for (const StagedArray &s : tile ? tile->staged : std::vector<StagedArray>{})
    if (s.array == copy.array && s.padding > 0)
      text += fmt::format(", {} of each row to avoid bank conflicts", s.padding);
    else if (s.array == copy.array && s.swizzle > 0)
      text += ", in another order in each row, to avoid bank conflicts";
  if (tile && !tile->strip.empty())
    text += fmt::format("; copied again for every {} values of {}", tile->stripLength, tile->strip);
  return text;
}

std::string whyThere(const ExplainedArray &a, const Kernels &kernels, const Kernel &k,
                     const RegionPlan &plan) {
  std::string planned = plannedWhy(a.name, plan, k), copied;
  bool kept = false;
  std::vector<int64_t> points;
  walkStmts(k.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Declare && s->name.starts_with(a.name + "_kept")) {
      kept = true;
      points = s->extents;
    }
    if (s->kind == StmtKind::Keep)
      for (const ExprP &e : keptElements(*s))
        kept |= baseOf(e)->name == a.name;
  });
  const TilePlan *tile = tileOf(plan, k);
  for (const StagedCopy &c : copiesOf(k)) {
    if (a.memory == "shared" && c.variable == a.name)
      return whyCopied(c, tile);
    if (c.array == a.name)
      copied +=
          (copied.empty() ? "; blocks copy their part to shared memory: " : ", ") + c.variable;
  }
  if (a.memory == "shared")
    return "partial results that the threads of a block reduce";
  double asked = 0, second = 0;
  for (const ExplainedReference &r : a.references) {
    asked += r.bytesAsked;
    second += r.bytesFromSecond;
  }
  std::string caught =
      asked > 0 && second < 0.95 * asked
          ? fmt::format("; the first-level cache catches {:.0f} % of what warps ask for",
                        100 * (1 - second / asked))
          : "";
  if (kept)
    return (points.empty()
                ? "the element that a loop updates stays in a register meanwhile"
                : fmt::format(
                      "the {} elements of a thread that a loop updates stay in registers meanwhile",
                      sizeText(points))) +
           caught;
  bool isTemporary =
      std::any_of(kernels.buffers.begin(), kernels.buffers.end(),
                  [&](const Buffer &b) { return b.name == a.name && b.array.empty(); });
  return (isTemporary       ? "a temporary of nestwarp's own"
          : planned.empty() ? "the plan says nothing else"
                            : planned) +
         copied + caught;
}

// References that read the same and stand in the same line are one to the user.
void merge(std::vector<ExplainedReference> &all, const ExplainedReference &r) {
  for (ExplainedReference &x : all)
    if (x.text == r.text && x.line == r.line && x.isWrite == r.isWrite && x.pattern == r.pattern) {
      double sum = std::max(x.accesses + r.accesses, 1e-30);
      x.transactions = (x.transactions * x.accesses + r.transactions * r.accesses) / sum;
      x.ideal = (x.ideal * x.accesses + r.ideal * r.accesses) / sum;
      x.accesses += r.accesses;
      x.bytesAsked += r.bytesAsked;
      x.bytesFromSecond += r.bytesFromSecond;
      x.bytesFromMemory += r.bytesFromMemory;
      return;
    }
  all.push_back(r);
}

std::vector<ExplainedArray> arraysOf(const EstimatedLaunch &l, const RegionPlan &plan,
                                     const Kernels &kernels, const Kernel &k) {
  std::vector<ExplainedArray> out;
  for (size_t n = 0; n < l.walk.references.size(); n++) {
    const Reference &r = l.walk.references[n];
    auto at = std::find_if(out.begin(), out.end(),
                           [&](const ExplainedArray &a) { return a.name == r.array; });
    if (at == out.end()) {
      ExplainedArray a;
      a.name = r.array;
      a.memory = memoryOf(r, k);
      at = out.insert(out.end(), a);
    }
    merge(at->references, referenceOf(r, l.traffic[n]));
  }
  for (ExplainedArray &a : out) {
    a.why = whyThere(a, kernels, k, plan);
    for (const StagedCopy &c : copiesOf(k))
      for (ExplainedReference &r : a.references)
        if (!r.line && (c.array == a.name || c.variable == a.name))
          r.line = c.line;
  }
  return out;
}

// Patterns of the arrays, from all steps that the kernel executes.
void addPatterns(std::vector<ExplainedArray> &arrays, const RegionPlan &plan, const Kernel &k,
                 const std::vector<KernelPatterns> &patterns) {
  for (const KernelPlan *step : stepsOf(plan, k))
    for (const KernelPatterns &own : patterns)
      if (own.kernel == step->name)
        for (const ArrayPatterns &of : own.arrays)
          for (ExplainedArray &a : arrays)
            if (a.name == of.array)
              a.patterns.insert(a.patterns.end(), of.references.begin(), of.references.end());
}

int lineOf(const Program &p, const std::string &counter) {
  std::string name = counter.starts_with("nw_minus_") ? counter.substr(9) : counter;
  for (const SourceLoop &l : p.loops)
    if (l.counter == name)
      return l.at.line;
  return 0;
}

double iterationsOf(const KernelWalk &walk, const std::string &counter) {
  for (const Reference &r : walk.references)
    for (size_t k = 0; k < r.loops.size(); k++)
      if (r.loops[k] == counter)
        return r.counts[k];
  return 0;
}

// Loops that the user did not write: over positions, tiles, strips, and points of a thread tile.
bool isOurs(const Program &p, const Loop &l, const std::string &strip) {
  return !lineOf(p, l.counter) &&
         (l.counter.starts_with("nw_") || l.isUnrolled || l.counter == strip);
}

// Where the values of a parallel dimension of a step go.
std::string mappingOf(const KernelPlan &step, StepKind kind, size_t d, const TilePlan *tile,
                      const BlockReductionPlan *blockReduction, bool isPlain) {
  size_t axis = 0;
  while (tile && axis < tile->grid.size() && tile->grid[axis] != step.grid[d])
    axis++;
  if (tile && axis >= 2 && axis < tile->grid.size())
    return "blocks z";
  if (tile && axis < 2) {
    std::string values = tile->threadTile[axis] == 1
                             ? "one value"
                             : fmt::format("{} values", tile->threadTile[axis]);
    return fmt::format("tiles of {} along {}, {} in each thread",
                       tile->block[axis] * tile->threadTile[axis], axis == 0 ? "x" : "y", values);
  }
  if (blockReduction && blockReduction->axis == ThreadAxis::X)
    return blockReduction->block[1] > 1 ? "threads y" : "blocks";
  std::string mapping = kind == StepKind::Reduction ? "all threads, reduced"
                        : d == 0                    ? "threads x"
                        : d == 1                    ? "threads y"
                                                    : "threads y, with the one before";
  bool takesTile = isPlain && !step.vectorBytes && d < step.threadTile.size() &&
                   step.threadTile[d] > 1; // with wide accesses, the plain form has one
  return takesTile ? mapping + fmt::format(", {} values in each", step.threadTile[d]) : mapping;
}

std::vector<ExplainedLoop> loopsOf(const Program &p, const RegionPlan &plan, const Kernel &k,
                                   const EstimatedKernel &e) {
  std::vector<ExplainedLoop> out;
  std::set<std::string> done;
  const TilePlan *tile = tileOf(plan, k);
  std::string strip = tile ? stripCounter(k, *tile) : "";
  const BlockReductionPlan *blockReduction = blockReductionOf(plan, k);
  for (const KernelPlan *step : stepsOf(plan, k))
    for (size_t d = 0; d < step->grid.size(); d++)
      if (done.insert(step->grid[d]).second)
        out.push_back({step->grid[d],
                       mappingOf(*step, plan.of(*step).kind, d, tile, blockReduction,
                                 !k.isResident() && !blockReduction),
                       lineOf(p, step->grid[d]), 0, ""});
  for (const LoopFacts &f : factsOf(k).loops) {
    const Loop &l = f.loop->loop;
    if (f.loop->kind != StmtKind::For || isOurs(p, l, strip) || !done.insert(l.counter).second)
      continue;
    if (!strip.empty() && l.counter == tile->strip) {
      out.push_back({l.counter, fmt::format("in each thread, in strips of {}", tile->stripLength),
                     lineOf(p, l.counter), iterationsOf(e.largest.walk, strip) * tile->stripLength,
                     ""});
      continue;
    }
    std::string bounds = fmt::format("{} = {}; {}", l.counter, print(l.start), print(l.condition));
    bool isShared = blockReduction && blockReduction->loop == l.counter;
    bool hasFirstTurn = isShared && blockReduction->lineAligned &&
                        l.start->kind == ExprKind::Binary &&
                        l.start->args[0]->kind == ExprKind::Var; // at the beginning of a line
    std::string mapping = isShared         ? blockReduction->axis == ThreadAxis::X
                                                 ? "shared out among threads x, in each"
                                                 : "shared out among threads y, in each"
                          : k.isResident() ? "in the kernel"
                                           : "in each thread";
    if (hasFirstTurn)
      mapping = "shared out among threads x, after a first turn in each";
    out.push_back({l.counter, mapping, lineOf(p, l.counter),
                   iterationsOf(e.largest.walk, l.counter), bounds});
  }
  return out;
}

} // namespace

ExplainedRegion explain(const Program &p, const RegionPlan &plan, const Kernels &kernels,
                        const EstimatedRegion &estimated,
                        const std::vector<Alternative> &alternatives, const DeviceSpec &device,
                        const std::vector<KernelPatterns> &patterns) {
  ExplainedRegion out;
  out.function = p.region.function;
  out.number = p.region.number;
  out.line = p.region.at.line;
  out.estimated = estimated;
  for (const EstimatedKernel &e : estimated.kernels) {
    const Kernel &k = kernels.kernels[size_t(e.kernel)];
    ExplainedKernel x;
    x.name = k.name;
    x.summary = k.summary;
    for (const KernelPlan *step : stepsOf(plan, k))
      x.why += (x.why.empty() ? "" : "; ") + step->why;
    x.forms = formsOf(plan, kernels, e.kernel, estimated);
    x.loops = loopsOf(p, plan, k, e);
    x.arrays = arraysOf(e.largest, plan, kernels, k);
    addPatterns(x.arrays, plan, k, patterns);
    x.resources = e.resources;
    x.estimated = e;
    for (const Alternative &a : alternatives)
      if (auto found = a.kernels.find(k.name);
          found != a.kernels.end() && std::fabs(found->second - e.seconds) > 0.002 * e.seconds)
        x.alternatives.push_back({a.what, found->second, {}, a.isStrips});
    std::stable_sort(x.alternatives.begin(), x.alternatives.end(),
                     [](auto &a, auto &b) { return a.seconds < b.seconds; });
    x.obstacles = obstaclesOf(p, plan, k, e, device);
    out.kernels.push_back(x);
  }
  out.alternatives = alternatives;
  std::stable_sort(out.alternatives.begin(), out.alternatives.end(),
                   [](auto &a, auto &b) { return a.seconds < b.seconds; });
  return out;
}

} // namespace nw
