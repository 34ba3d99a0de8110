// The knobs of a plan: which of its decisions the tuner varies, and between which values.
// docs/plan.md says what each field means.
#include "tune/space.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

namespace {

using Numbers = std::vector<int>;

std::string inWords(const Numbers &numbers) {
  std::string out;
  for (int n : numbers)
    out += fmt::format("{}{}", out.empty() ? "" : " x ", n);
  return out.empty() ? "none" : out;
}

// Kernels whose decisions are alike: everything but names, statements and reasons.
std::string shapeOf(const KernelPlan &kernel, size_t dimensions) {
  Plan alone;
  alone.kernels = {kernel};
  KernelPlan &k = alone.kernels[0];
  k.name = k.why = "";
  k.statements.clear();
  k.arrays.clear();
  k.grid.clear();
  for (TilePlan &t : k.tiles) {
    t.grid.clear();
    t.strip = t.strip.empty() ? "" : "strip";
    for (StagedArray &a : t.staged)
      a.array = "";
  }
  if (k.spread)
    k.spread->loop = "";
  if (k.join)
    k.join->with = "";
  return fmt::format("{} {}", dimensions, toJson({alone}));
}

class KnobMaker {
public:
  KnobMaker(const Plan &plan, const DeviceSpec &device) : device(device), space{plan, {}} {}

  Space run() {
    std::map<std::string, size_t> known;
    for (size_t k = 0; k < space.proposed.kernels.size(); k++) {
      const KernelPlan &kernel = space.proposed.kernels[k];
      auto [at, isNew] = known.try_emplace(shapeOf(kernel, kernel.grid.size()), groups.size());
      if (isNew)
        groups.emplace_back();
      groups[at->second].push_back(k);
    }
    for (const std::vector<size_t> &group : groups)
      addKernels(group);
    addLoops();
    if (std::any_of(space.proposed.kernels.begin(), space.proposed.kernels.end(),
                    [](const KernelPlan &k) { return k.kind == "reduction"; }))
      add(
          "blocks of folds", Numbers{64, 128, 256, 512, 1024, 2048}, space.proposed.reductionBlocks,
          [](int n) { return std::to_string(n); }, [](Plan &p, int n) { p.reductionBlocks = n; });
    return std::move(space);
  }

private:
  // A knob over these values; the proposed one comes first, wherever it stands in the list. One
  // value is no choice.
  template <class Value, class Words, class Set>
  void add(const std::string &name, std::vector<Value> values, const Value &proposed,
           const Words &words, const Set &set) {
    values.erase(std::remove(values.begin(), values.end(), proposed), values.end());
    values.insert(values.begin(), proposed);
    if (values.size() < 2)
      return;
    Knob knob{name, {}, 0, [values, set](Plan &plan, size_t v) { set(plan, values[v]); }};
    for (const Value &v : values)
      knob.values.push_back(words(v));
    space.knobs.push_back(std::move(knob));
  }

  // The same for the kernels of a group: `set` changes one kernel.
  template <class Value, class Words, class Set>
  void addTo(const std::vector<size_t> &group, const std::string &name, std::vector<Value> values,
             const Value &proposed, const Words &words, const Set &set) {
    add(fmt::format("{} of {}", name, space.proposed.kernels[group[0]].name), std::move(values),
        proposed, words, [group, set](Plan &plan, const Value &value) {
          for (size_t k : group)
            set(plan.kernels[k], value);
        });
  }

  void addNumbers(const std::vector<size_t> &group, const std::string &name,
                  std::vector<int> values, int proposed, void (*set)(KernelPlan &, int)) {
    addTo(group, name, std::move(values), proposed, [](int n) { return std::to_string(n); }, set);
  }

  void addLists(const std::vector<size_t> &group, const std::string &name,
                std::vector<Numbers> values, const Numbers &proposed,
                void (*set)(KernelPlan &, const Numbers &)) {
    addTo(
        group, name, std::move(values), proposed, [](const Numbers &n) { return inWords(n); }, set);
  }

  std::vector<Numbers> fitting(std::vector<Numbers> blocks, int fewest) const {
    std::erase_if(blocks, [&](const Numbers &b) {
      return b[0] * b[1] > device.blockThreads || b[0] * b[1] < fewest;
    });
    return blocks;
  }

  void addKernels(const std::vector<size_t> &group) {
    const KernelPlan &k = space.proposed.kernels[group[0]];
    if (k.kind == "serial")
      return;
    if (k.kind == "reduction") {
      addLists(group, "block", {{64}, {128}, {256}, {512}, {1024}}, k.block,
               [](KernelPlan &p, const Numbers &b) { p.block = b; });
      return;
    }
    if (k.join)
      addJoin(group, *k.join);
    if (k.spread)
      addSpread(group, *k.spread);
    if (!k.tiles.empty())
      addTiles(group, k);
    else if (!k.strips.empty())
      addStrips(group, k);
    if (k.spread) // the plain kernel is for folds that are too short to be spread
      return;
    addBlocks(group, k);
    addPoints(group, k);
  }

  void addBlocks(const std::vector<size_t> &group, const KernelPlan &k) {
    auto set = [](KernelPlan &p, const Numbers &b) { p.block = b; };
    if (k.grid.size() < 2 || k.block.size() < 2) {
      std::vector<Numbers> blocks;
      for (int n = 32; n <= device.blockThreads; n *= 2)
        blocks.push_back({n});
      addLists(group, "block", blocks, k.block, set);
      return;
    }
    std::vector<Numbers> blocks = {{32, 4},  {32, 8},  {32, 16}, {32, 32}, {64, 2},  {64, 4},
                                   {64, 8},  {128, 1}, {128, 2}, {128, 4}, {256, 1}, {256, 2},
                                   {512, 1}, {16, 8},  {16, 16}, {8, 32}};
    if (device.kind == DeviceKind::Cpu || k.block[0] == 1)
      blocks.insert(blocks.end(),
                    {{1, 64}, {1, 128}, {1, 256}, {1, 512}, {1024, 1}, {8, 8}, {4, 64}});
    addLists(group, "block", fitting(blocks, 64), k.block, set);
    if (k.grid.size() == 2 && k.tiles.empty())
      addTo(
          group, "loop along threads", Numbers{0, 1}, 0, [&k](int d) { return k.grid[size_t(d)]; },
          [](KernelPlan &p, int d) {
            if (d)
              std::swap(p.grid[0], p.grid[1]);
          });
  }

  // Points of a thread, wide accesses and windows.
  void addPoints(const std::vector<size_t> &group, const KernelPlan &k) {
    if (k.grid.size() > 2)
      return;
    bool isFlat = k.grid.size() < 2;
    if (k.vectors > 0) {
      addLists(group, "points",
               isFlat ? std::vector<Numbers>{{}, {2}, {4}, {8}, {16}}
                      : std::vector<Numbers>{{},
                                             {2, 1},
                                             {4, 1},
                                             {8, 1},
                                             {2, 2},
                                             {4, 2},
                                             {8, 2},
                                             {4, 4},
                                             {8, 4},
                                             {4, 8},
                                             {8, 8}},
               k.points, [](KernelPlan &p, const Numbers &n) {
                 p.points = n;
                 p.vectors = n.empty() ? 0 : p.vectors;
               });
      addNumbers(group, "bytes of an access", {0, 4, 8, 16}, k.vectors,
                 [](KernelPlan &p, int n) { p.vectors = p.points.empty() ? 0 : n; });
    } else if (k.tiles.empty()) {
      addLists(group, "points",
               isFlat ? std::vector<Numbers>{{}, {2}, {4}}
                      : std::vector<Numbers>{{}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {4, 1}, {1, 8}},
               k.points, [](KernelPlan &p, const Numbers &n) { p.points = n; });
    }
    if (!k.windows.empty())
      addLists(
          group, "windows",
          isFlat ? std::vector<Numbers>{{}, {2}, {4}, {8}}
                 : std::vector<Numbers>{{}, {1, 2}, {1, 4}, {2, 2}, {2, 4}, {4, 2}, {4, 4}, {1, 8}},
          k.windows, [](KernelPlan &p, const Numbers &n) { p.windows = n; });
    if (k.vectors > 0 || !k.windows.empty())
      addNumbers(group, "frame", {0, 1}, k.frame, [](KernelPlan &p, int n) { p.frame = n; });
  }

  // Changes the form that is taken first, and those that differ from it only in how they treat
  // edges.
  static void changeForms(KernelPlan &kernel, const std::function<void(TilePlan &)> &change) {
    if (kernel.tiles.empty())
      return;
    TilePlan first = kernel.tiles[0];
    for (TilePlan &t : kernel.tiles)
      if (t.block == first.block && t.points == first.points && t.run == first.run &&
          t.length == first.length)
        change(t);
  }

  template <class Value, class Words, class Set>
  void addTile(const std::vector<size_t> &group, const char *name, std::vector<Value> values,
               const Value &proposed, const Words &words, const Set &set) {
    addTo(
        group, fmt::format("{} of tiles", name), std::move(values), proposed, words,
        [set](KernelPlan &k, const Value &v) { changeForms(k, [&](TilePlan &t) { set(t, v); }); });
  }

  void addTileNumbers(const std::vector<size_t> &group, const char *name, std::vector<int> values,
                      int proposed, void (*set)(TilePlan &, int)) {
    addTile(group, name, std::move(values), proposed, [](int n) { return std::to_string(n); }, set);
  }

  // Threads that walk along rows through shared memory: loads, stores or both. (lite)
  void addStrips(const std::vector<size_t> &group, const KernelPlan &k) {
    std::vector<int> forms;
    for (size_t f = 0; f <= k.strips.size(); f++)
      forms.push_back(int(f));
    addTo(
        group, "strips of rows", forms, 0,
        [&k](int f) { return f == 0 ? std::string("none") : k.strips[size_t(f) - 1].what; },
        [](KernelPlan &p, int f) {
          if (f == 0 || size_t(f) > p.strips.size())
            return;
          p.tiles = {p.strips[size_t(f) - 1].tiles};
          p.spread.reset();
        });
  }

  void addTiles(const std::vector<size_t> &group, const KernelPlan &k) {
    const TilePlan &first = k.tiles[0];
    // Forms in front of one are dropped, so that it is the one that is taken first; none: no tiles.
    std::vector<int> kept;
    for (size_t f = 0; f <= k.tiles.size(); f++)
      kept.push_back(int(f));
    addTo(
        group, "forms", kept, 0,
        [&k](int f) {
          return size_t(f) == k.tiles.size() ? std::string("plain")
                                             : fmt::format("from {} on", f + 1);
        },
        [](KernelPlan &p, int f) {
          p.tiles.erase(p.tiles.begin(), p.tiles.begin() + std::min(f, int(p.tiles.size())));
        });
    auto lists = [](const Numbers &n) { return inWords(n); };
    addTile(group, "block",
            fitting({{16, 16},
                     {32, 8},
                     {8, 32},
                     {16, 8},
                     {8, 16},
                     {32, 4},
                     {32, 16},
                     {16, 32},
                     {64, 4},
                     {8, 8}},
                    64),
            first.block, lists, [](TilePlan &t, const Numbers &b) { t.block = b; });
    addTile(group, "points",
            std::vector<Numbers>{
                {1, 1}, {2, 2}, {4, 2}, {2, 4}, {4, 4}, {8, 4}, {4, 8}, {8, 8}, {1, 4}, {1, 8}},
            first.points, lists, [](TilePlan &t, const Numbers &p) {
              t.points = p;
              for (size_t d = 0; d < t.run.size() && d < p.size(); d++)
                t.run[d] = std::min(t.run[d], p[d]);
            });
    addTileNumbers(group, "neighbours", {1, 2, 4}, first.run.empty() ? 1 : first.run[0],
                   [](TilePlan &t, int r) {
                     for (size_t d = 0; d < t.run.size() && d < t.points.size(); d++)
                       t.run[d] = std::min(r, t.points[d]);
                   });
    if (!first.strip.empty())
      addTileNumbers(group, "strips", {4, 8, 16, 32}, first.length,
                     [](TilePlan &t, int n) { t.length = n; });
    addTileNumbers(group, "buffers", {1, 2}, first.buffers,
                   [](TilePlan &t, int n) { t.buffers = n; });
    addTileNumbers(group, "strips ahead", {0, 1}, first.ahead,
                   [](TilePlan &t, int n) { t.ahead = n; });
    addTileNumbers(group, "bytes of a load", first.vectors ? Numbers{8, 16} : Numbers{},
                   first.vectors, [](TilePlan &t, int n) { t.vectors = t.vectors ? n : 0; });
    addTileNumbers(group, "inside", first.vectors ? Numbers{} : Numbers{0, 1}, first.inside,
                   [](TilePlan &t, int n) { t.inside = n; });
    addTileNumbers(group, "blocks together", {1, 2, 3, 4}, first.together,
                   [](TilePlan &t, int n) { t.together = n; });
    addTileNumbers(group, "fewest", {0, 33, 66, 132, 264}, first.least,
                   [](TilePlan &t, int n) { t.least = n; });
    for (size_t a = 0; a < first.staged.size(); a++) {
      auto set = [a](TilePlan &t, int n) {
        if (a < t.staged.size())
          t.staged[a].padding = n;
      };
      addTile(
          group, fmt::format("padding of {}", first.staged[a].array).c_str(), Numbers{0, 1, 4},
          first.staged[a].padding, [](int n) { return std::to_string(n); }, set);
      if (first.staged[a].swizzle)
        addTile(
            group, fmt::format("swizzle of {}", first.staged[a].array).c_str(), Numbers{0},
            first.staged[a].swizzle, [](int n) { return std::to_string(n); },
            [a](TilePlan &t, int n) {
              if (a < t.staged.size())
                t.staged[a].swizzle = n;
            });
    }
  }

  // What is joined is not spread, so that its knobs have an effect only where it is not joined.
  void addSpread(const std::vector<size_t> &group, const SpreadPlan &s) {
    std::vector<Numbers> blocks;
    for (size_t d = 0; d < s.block.size(); d++)
      for (int by : {-4, -2, 2, 4}) {
        Numbers b = s.block;
        b[d] = by < 0 ? b[d] / -by : b[d] * by;
        blocks.push_back(b);
      }
    for (auto [x, y] : {std::pair{2, -2}, {-2, 2}, {4, -4}, {-4, 4}, {8, -8}}) {
      Numbers b = s.block;
      b[0] = x < 0 ? b[0] / -x : b[0] * x;
      b[1] = y < 0 ? b[1] / -y : b[1] * y;
      blocks.push_back(b);
    }
    std::erase_if(blocks, [](const Numbers &b) {
      return std::any_of(b.begin(), b.end(), [](int n) { return n < 1; });
    });
    addLists(group, "shared folds", fitting(blocks, 32), s.block,
             [](KernelPlan &p, const Numbers &b) {
               if (p.spread) {
                 p.spread->block = b;
                 p.spread->lines = p.spread->lines && b[0] == 32;
               }
             });
    if (s.lines)
      addNumbers(group, "folds from lines on", {0, 1}, 1, [](KernelPlan &p, int n) {
        if (p.spread)
          p.spread->lines = n;
      });
    addNumbers(group, "sharing folds", {0, 1}, 1, [](KernelPlan &p, int n) {
      if (!n)
        p.spread.reset();
    });
  }

  void addJoin(const std::vector<size_t> &group, const JoinPlan &j) {
    auto change = [&](const char *name, Numbers values, int proposed, int JoinPlan::*member) {
      addTo(
          group, name, values, proposed, [](int n) { return std::to_string(n); },
          [member](KernelPlan &p, int n) {
            if (p.join)
              (*p.join).*member = n;
          });
    };
    change("joined block", {128, 256, 512, 1024}, j.block, &JoinPlan::block);
    change("joined columns", {4, 8, 16, 32}, j.columns, &JoinPlan::columns);
    change("joined rows", {1, 2, 3, 4}, j.rows, &JoinPlan::rows);
    change("joined blocks", {j.blocks / 2, j.blocks, 2 * j.blocks, 4 * j.blocks}, j.blocks,
           &JoinPlan::blocks);
    addNumbers(group, "joining", {0, 1}, 1, [](KernelPlan &p, int n) {
      if (!n)
        p.join.reset();
    });
  }

  void addLoops() {
    for (size_t k = 0; k < space.proposed.loops.size(); k++)
      if (space.proposed.loops[k].form == LaunchForm::Resident)
        add(
            fmt::format("loop {}", space.proposed.loops[k].loop),
            std::vector<LaunchForm>{LaunchForm::Plain, LaunchForm::Resident}, LaunchForm::Resident,
            [](LaunchForm f) { return std::string(f == LaunchForm::Plain ? "plain" : "resident"); },
            [k](Plan &p, LaunchForm f) { p.loops[k].form = f; });
  }

  const DeviceSpec &device;
  Space space;
  std::vector<std::vector<size_t>> groups;
};

} // namespace

Space spaceFor(const Plan &proposed, const DeviceSpec &device) {
  return KnobMaker(proposed, device).run();
}

} // namespace nw
