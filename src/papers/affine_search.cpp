// Padding, threads, tiles.
#include "papers/affine_search.h"
#include "analysis/tile_footprint.h"
#include "plan/padding.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace nw::papers {

namespace {

constexpr int64_t kTileSizes[] = {16, 32, 64, 128, 256}, kStrips[] = {8, 16, 32};
// The paper drops tiles "p % above the least traffic" and does not say which p.
constexpr double kAboveLeast = 0.2;
constexpr size_t kListed = 6;

class Search {
public:
  Search(const PaperRegion &region, const Program &source, const AffineChoice &choice)
      : r(region), p(source), choice(choice) {}

  Lines run() {
    padding();
    threads();
    tiles();
    return lines;
  }

private:
  template <class... A> void say(fmt::format_string<A...> text, A &&...of) {
    lines.push_back(fmt::format(text, std::forward<A>(of)...));
  }

  const StatementPlacement *placementOf(const std::string &statement) const {
    for (const StatementPlacement &s : choice.schedule.statements)
      if (s.statement == statement)
        return &s;
    return nullptr;
  }

  // From one thread to the next: the loops' steps that move the innermost row of space by one and
  // leave all other rows as they are.
  static std::optional<IntegerRow> nextThread(const StatementPlacement &s, size_t loops) {
    if (s.space.empty())
      return std::nullopt;
    IntegerMatrix others;
    for (const ScheduleRow &row : s.time)
      others.push_back(row.factors);
    for (size_t k = 1; k < s.space.size(); k++)
      others.push_back(s.space[k].factors);
    IntegerMatrix left = orthogonalComplement(others, int(loops));
    if (left.size() != 1)
      return std::nullopt;
    const IntegerRow &row = s.space[0].factors;
    int64_t step = std::inner_product(row.begin(), row.end(), left[0].begin(), int64_t(0));
    if (std::abs(step) != 1)
      return std::nullopt;
    for (int64_t &x : left[0])
      x *= step;
    return left[0];
  }

  // Algorithm 2, for arrays of two and more dimensions. Copies walk along rows.
  void padding() {
    std::map<std::string, std::vector<SharedReference>> byArray;
    for (const AffineReference &a : affineReferences(p, allStatements(p))) {
      const StatementPlacement *s = placementOf(a.id.statement);
      std::optional<IntegerRow> step = s && choice.staged.count(a.array) && a.linear.size() > 1
                                           ? nextThread(*s, a.loops.size())
                                           : std::nullopt;
      if (!step)
        continue;
      auto along = [&](const IntegerRow &row) {
        return std::inner_product(row.begin(), row.end(), step->begin(), int64_t(0));
      };
      std::vector<SharedReference> &all = byArray[a.array];
      if (all.empty())
        all.push_back({0, 1});
      all.push_back({along(a.linear[a.linear.size() - 2]), along(a.linear.back())});
    }
    for (const auto &[array, references] : byArray) {
      int64_t row = r.device.warp;
      Padding found =
          choosePadding(references, row, int(p.arrays.at(array).elementBytes), r.device);
      say("Algorithm 2: {}: rows of {} elements have conflicts of degree {}, which cost {:.4g} "
          "cycles; with {} of degree {}, which cost {:.4g}",
          array, row, std::ranges::max(found.degreesBefore), found.costBefore,
          counted(found.elements, "padding column"), std::ranges::max(found.degrees), found.cost);
    }
  }

  // T is the largest multiple of a warp that registers and the block's limit allow.
  void threads() {
    const DeviceSpec &d = r.device;
    int limit = r.registers > 0 ? d.registers / r.registers : d.blockThreads;
    int most = std::min(limit, d.blockThreads) / d.warp * d.warp;
    std::vector<std::string> all;
    for (int t : {most, most / 2, most / 4})
      if (t >= d.warp)
        all.push_back(std::to_string(t / d.warp * d.warp));
    say("threads: {} registers a thread ({}) allow {} of {}: T, T/2 and T/4 are {}", r.registers,
        r.registersBy, limit, d.blockThreads, listed(all));
  }

  // ---- tiles ----

  struct Tile {
    TileSizes sizes;
    int64_t strip = 0;
    TileTraffic traffic;
    int64_t moved() const { return traffic.loads + traffic.stores; }
  };

  // The statement with the most loops, and those that share its tiles.
  const Statement *deepest() const {
    auto found = std::ranges::max_element(p.statements, {},
                                          [](const Statement &s) { return s.loops.size(); });
    return found == p.statements.end() ? nullptr : &*found;
  }

  // Whether the loop moves threads or blocks.
  bool isParallel(const StatementPlacement &s, size_t loop) const {
    return std::ranges::any_of(s.space,
                               [&](const ScheduleRow &row) { return row.factors[loop] != 0; }) &&
           std::ranges::none_of(s.time,
                                [&](const ScheduleRow &row) { return row.factors[loop] != 0; });
  }

  int64_t sharedBytes(const std::vector<const Statement *> &nest, const TileSizes &tile) const {
    int64_t bytes = 0;
    for (const std::string &array : choice.staged)
      for (const FootprintBox &box : footprintBoxes(p, nest, array, tile, Touch::Both))
        bytes += box.hullElements() * p.arrays.at(array).elementBytes;
    return bytes;
  }

  void tiles() {
    const Statement *s = deepest();
    const StatementPlacement *placement = s ? placementOf(s->name) : nullptr;
    if (!placement || s->loops.empty())
      return;
    std::vector<const Statement *> nest;
    for (const Statement &other : p.statements)
      if (std::ranges::all_of(other.loops, [&](int l) { return std::ranges::count(s->loops, l); }))
        nest.push_back(&other);
    TileSizes extents, whole;
    std::vector<size_t> parallel;
    for (size_t k = 0; k < s->loops.size(); k++) {
      std::optional<int64_t> extent = papers::extentOf(s->domain, int(k), r.sizes);
      if (!extent || *extent < 1)
        return say("tiles: how long the loop over {} is depends on more than sizes",
                   p.loop(s->loops[k]).counter);
      extents[s->loops[k]] = whole[s->loops[k]] = *extent;
      if (isParallel(*placement, k))
        parallel.push_back(k);
    }
    if (parallel.empty())
      return say("tiles: threads move along several loops at once, which boxes do not cover");
    std::vector<Tile> all;
    size_t tried = 0;
    choose(*s, nest, extents, parallel, 0, whole, all, tried);
    if (all.empty())
      return say("tiles: none of {} divides the work and fits {} bytes of shared memory",
                 counted(int64_t(tried), "tile size"), r.device.sharedBytes);
    std::ranges::stable_sort(all, {}, &Tile::moved);
    double least = double(all[0].moved());
    size_t kept = size_t(std::ranges::count_if(
        all, [&](const Tile &t) { return double(t.moved()) <= least * (1 + kAboveLeast); }));
    say("tiles: of {}, {} divide the work and fit {} bytes of shared memory; {} within {:.0f} % of "
        "the least traffic",
        counted(int64_t(tried), "tile size"), all.size(), r.device.sharedBytes, kept,
        100 * kAboveLeast);
    for (size_t k = 0; k < all.size(); k++)
      if (k < kListed || k + 1 == all.size())
        say("{}: {} loads, {} stores of elements{}", textOf(*s, all[k], parallel),
            all[k].traffic.loads, all[k].traffic.stores, k < kept ? "" : "; dropped");
    say("what is left is tiled for registers, dropped where it leaves under 25 % of the threads, "
        "padded, and measured: nestwarp tune");
  }

  std::string textOf(const Statement &s, const Tile &tile,
                     const std::vector<size_t> &parallel) const {
    std::vector<std::string> parts;
    for (size_t k : parallel)
      parts.push_back(fmt::format("{}={}", p.loop(s.loops[k]).counter, tile.sizes.at(s.loops[k])));
    return fmt::format("tile {}{}", listed(parts),
                       tile.strip ? fmt::format(" in strips of {}", tile.strip) : "");
  }

  // All sizes of the parallel loops; the others run as a whole, in the longest strips that fit.
  void choose(const Statement &s, const std::vector<const Statement *> &nest,
              const TileSizes &extents, const std::vector<size_t> &parallel, size_t next,
              TileSizes tile, std::vector<Tile> &all, size_t &tried) const {
    if (next < parallel.size()) {
      int loop = s.loops[parallel[next]];
      for (int64_t size : kTileSizes)
        if (size <= extents.at(loop) && extents.at(loop) % size == 0) {
          tile[loop] = size;
          choose(s, nest, extents, parallel, next + 1, tile, all, tried);
        }
      return;
    }
    tried++;
    std::optional<int64_t> strip = stripOf(s, nest, extents, parallel, tile);
    if (strip)
      all.push_back({tile, *strip, totalTraffic(p, nest, tile, extents)});
  }

  // 0: there is nothing to go along in strips.
  std::optional<int64_t> stripOf(const Statement &s, const std::vector<const Statement *> &nest,
                                 const TileSizes &extents, const std::vector<size_t> &parallel,
                                 const TileSizes &tile) const {
    std::optional<int64_t> found;
    auto tryStrip = [&](int64_t strip) {
      TileSizes held = tile;
      for (size_t k = 0; k < s.loops.size(); k++)
        if (!std::ranges::count(parallel, k))
          held[s.loops[k]] = std::min(strip, extents.at(s.loops[k]));
      if (sharedBytes(nest, held) <= r.device.sharedBytes)
        found = strip;
    };
    if (parallel.size() == s.loops.size())
      tryStrip(0);
    else
      for (int64_t strip : kStrips)
        tryStrip(strip);
    return found;
  }

  const PaperRegion &r;
  const Program &p;
  const AffineChoice &choice;
  Lines lines;
};

} // namespace

Lines searchSteps(const PaperRegion &region, const Program &source, const AffineChoice &choice) {
  return Search(region, source, choice).run();
}

} // namespace nw::papers
