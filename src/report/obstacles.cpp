// Obstacles.
#include "report/obstacles.h"
#include "estimate/lane_value.h"
#include "kernel/reduction_steps.h"
#include "report/forms.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

class Obstacles {
public:
  Obstacles(const Program &p, const RegionPlan &plan, const Kernel &k, const EstimatedKernel &e,
            const DeviceSpec &d)
      : program(p), plan(plan), kernel(k), e(e), device(d) {}

  std::vector<std::string> run() {
    const LaunchEstimate &estimate = e.largest.estimate;
    bool byMemory =
        isOneOf(estimate.bound, {Bound::Bandwidth, Bound::CacheBandwidth, Bound::LoadStore,
                                 Bound::Latency, Bound::TooFewThreads});
    if (byMemory)
      strided();
    if (isOneOf(estimate.bound, {Bound::Bandwidth, Bound::CacheBandwidth, Bound::LoadStore}))
      reused();
    if (estimate.bound == Bound::TooFewThreads)
      fewThreads();
    else if (e.largest.shape.blocks() < device.multiprocessors && e.launching < 0.5 * e.seconds)
      add("{:.0f} block{} for {} multiprocessors: the others are idle", e.largest.shape.blocks(),
          e.largest.shape.blocks() == 1 ? "" : "s", device.multiprocessors);
    if (estimate.bound == Bound::Latency && estimate.occupancy.share < 0.75)
      add("at most {} threads are resident on a multiprocessor ({:.0f} %): limited by the {}",
          estimate.occupancy.threads, 100 * estimate.occupancy.share,
          nameOf(estimate.occupancy.limiter));
    if (estimate.bound == Bound::Barriers)
      add("{:.0f} barriers across the grid, one for each step of {}", e.largest.work.gridBarriers,
          sequentialLoops());
    if (e.launches > 1 && e.launching > 0.5 * e.seconds)
      add("{:.0f} launches of {:.1f} us each: {} runs on the host, since each iteration needs the "
          "one before",
          e.launches, 1e6 * (e.seconds - e.launching) / e.launches, sequentialLoops());
    if (e.resources.spilledBytes > 0)
      add("the compiler spills {} bytes a thread from registers to memory",
          e.resources.spilledBytes);
    return out;
  }

private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments &&...arguments) {
    out.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  static bool isOneOf(Bound b, std::initializer_list<Bound> list) {
    return std::find(list.begin(), list.end(), b) != list.end();
  }

  const SourceLoop *loopOf(const std::string &counter) const {
    for (const SourceLoop &l : program.loops)
      if (l.counter == counter)
        return &l;
    return nullptr;
  }

  // Of a loop from strip to strip: the source's loop that is cut into strips.
  std::string uncut(const std::string &counter) const {
    const TilePlan *tile = tileOf(plan, kernel);
    return tile && !counter.empty() && counter == stripCounter(kernel, *tile) ? tile->strip
                                                                              : counter;
  }

  std::string named(const std::string &any) const {
    std::string counter = uncut(any);
    const SourceLoop *l = loopOf(counter);
    return l && l->at.line ? fmt::format("the loop over {} (line {})", counter, l->at.line)
                           : fmt::format("the loop over {}", counter);
  }

  std::string sequentialLoops() const {
    std::string text;
    for (const LoopPlan &l : plan.plan.loops)
      text += (text.empty() ? "" : ", ") + named(l.loop);
    return text.empty() ? "the sequence of steps" : text;
  }

  // Why a loop runs in order inside a thread: what it accumulates into, or else what it carries.
  std::string whyInOrder(const std::string &any) const {
    std::string counter = uncut(any);
    for (const KernelPlan *step : stepsOf(plan, kernel))
      for (const std::string &name : plan.of(*step).statements) {
        const Statement *s = program.find(name);
        bool inside = s && std::any_of(s->loops.begin(), s->loops.end(),
                                       [&](int id) { return program.loop(id).counter == counter; });
        if (inside && s->reduction)
          return fmt::format(
              "it adds up {} (line {}), which {}", print(s->reduction->target), s->at.line,
              hasReductions(kernel.body) ? "a row or a column of a block's threads shares"
                                         : "each thread does for itself");
      }
    return "its iterations depend on each other, or belong to one thread";
  }

  // The largest reference whose neighbours are far apart.
  void strided() {
    std::set<std::pair<std::string, int>> said;
    for (size_t k = 0; k < e.largest.walk.references.size(); k++) {
      const Reference &r = e.largest.walk.references[k];
      if (r.buffer < 0 || r.accesses <= 0 || r.transactions < (r.isRegular ? 2 : 1.05) * r.ideal ||
          askedBy(r) < 0.2 * asked() || !said.insert({r.text, r.at.line}).second)
        continue;
      if (isOfNeighbours(r))
        continue;
      double perAccess = r.transactions / r.accesses, ideal = r.ideal / r.accesses;
      std::string head = fmt::format(
          "line {}: {} takes {:.1f} transactions per access of a warp where {:.1f} would do: ",
          r.at.line, r.text, perAccess, ideal);
      if (!r.isRegular) {
        out.push_back(head + "its subscripts depend on data, so its addresses were guessed");
        continue;
      }
      std::vector<const KernelPlan *> steps = stepsOf(plan, kernel);
      std::string along =
          steps.empty() || steps[0]->grid.empty() ? "the thread" : steps[0]->grid[0];
      std::string text = head + fmt::format("{} runs along the threads, ", along);
      text += r.strides[kThreadX] == 0 ? "which all ask for one element"
                                       : fmt::format("and neighbours are {:.0f} bytes apart",
                                                     std::fabs(r.strides[kThreadX]));
      for (size_t n = 0; n < r.loops.size(); n++)
        if (size_t d = kFirstLoop + n;
            d < r.strides.size() && std::fabs(r.strides[d]) == r.elementBytes)
          text += fmt::format("; it is contiguous along {}, but {}", named(r.loops[n]),
                              whyInOrder(r.loops[n]));
      out.push_back(text + "; " + whyNotStaged(r.array));
    }
  }

  // Whether a thread of a tile takes what lies between its element and its neighbour's: its points
  // follow each other.
  bool isOfNeighbours(const Reference &r) const {
    const TilePlan *tile = tileOf(plan, kernel);
    return tile && std::fabs(r.strides[kThreadX]) <= double(tile->contiguous[0]) * r.elementBytes;
  }

  // Why no copy in shared memory serves the threads of a block.
  std::string whyNotStaged(const std::string &array) const {
    if (tileOf(plan, kernel))
      return fmt::format("of the tile's arrays, {} is not among those in shared memory", array);
    for (const KernelPlan *step : stepsOf(plan, kernel))
      if (!step->tiles.empty())
        return kernel.isResident()
                   ? "resident kernels have no tiles in shared memory"
                   : fmt::format("from {} tiles on, the step uses tiles in shared memory",
                                 step->tiles.back().profitableFrom);
    return "the plan has no tiles in shared memory for this step (they are for products and "
           "transpositions over two parallel loops)";
  }

  // By all copies of a reference, which read the same to the user.
  double askedBy(const Reference &r) const {
    double sum = 0;
    for (size_t k = 0; k < e.largest.walk.references.size(); k++)
      if (const Reference &x = e.largest.walk.references[k];
          x.text == r.text && x.at.line == r.at.line && x.isWrite == r.isWrite)
        sum += e.largest.traffic[k].firstBytes;
    return sum;
  }

  double asked() const {
    double sum = 0;
    for (const Traffic &t : e.largest.traffic)
      sum += t.firstBytes;
    return sum;
  }

  // Data that many threads read, each for itself.
  void reused() {
    std::set<std::string> said;
    for (size_t k = 0; k < e.largest.walk.references.size(); k++) {
      const Reference &r = e.largest.walk.references[k];
      if (r.buffer < 0 || r.isWrite || !r.isRegular || askedBy(r) < 0.1 * asked() ||
          said.count(r.array))
        continue;
      bool sharedByRows = e.largest.shape.block[1] > 1 && r.strides[kThreadY] == 0,
           sharedByLanes = r.strides[kThreadX] == 0;
      if (!sharedByRows && !sharedByLanes)
        continue;
      said.insert(r.array);
      int threads = (sharedByRows ? e.largest.shape.block[1] : 1) *
                    (sharedByLanes ? e.largest.shape.block[0] : 1);
      if (!isCopied(r.array))
        add("line {}: {} is read by {} threads of a block, each for itself; {}", r.at.line, r.text,
            threads, whyNotStaged(r.array));
    }
  }

  bool isCopied(const std::string &array) const {
    std::vector<StagedCopy> copies = copiesOf(kernel);
    return std::any_of(copies.begin(), copies.end(),
                       [&](const StagedCopy &c) { return c.array == array; });
  }

  // Whether threads share the values of a loop out among them, so that it is not for lack of
  // parallelism that a thread has several.
  bool isSharedOut(const std::string &loop) const {
    return std::any_of(
        plan.plan.kernels.begin(), plan.plan.kernels.end(),
        [&](const KernelPlan &k) { return std::count(k.grid.begin(), k.grid.end(), loop) > 0; });
  }

  void fewThreads() {
    double threads = e.largest.shape.blocks() * e.largest.shape.threads();
    double room = double(device.multiprocessors) * device.residentThreads;
    if (e.largest.shape.threads() == 1) {
      add("one thread does everything: no loop of this step is parallel");
      return;
    }
    std::string inside;
    for (const Stage &s : e.largest.walk.stages)
      for (const Reference &r : e.largest.walk.references)
        if (inside.empty() && s.visits > 8 && r.loop == s.loop && !r.loops.empty() &&
            !r.loops.back().empty() && r.loops.back() != "nw_instance" &&
            !isSharedOut(r.loops.back()))
          inside = fmt::format(", and {} stays inside each: {}", named(r.loops.back()),
                               whyInOrder(r.loops.back()));
    if (threads < room)
      add("{:.0f} threads for a device that holds {:.0f}{}", threads, room, inside);
  }

  const Program &program;
  const RegionPlan &plan;
  const Kernel &kernel;
  const EstimatedKernel &e;
  const DeviceSpec &device;
  std::vector<std::string> out;
};

} // namespace

std::vector<std::string> obstaclesOf(const Program &program, const RegionPlan &plan,
                                     const Kernel &kernel, const EstimatedKernel &estimated,
                                     const DeviceSpec &device) {
  return Obstacles(program, plan, kernel, estimated, device).run();
}

} // namespace nw
