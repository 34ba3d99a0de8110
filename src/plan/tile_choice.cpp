// Tiles, chosen.
//
// Over 500 lines: products, stencils and transpositions ask the same of readings and copies.
#include "plan/tile_choice.h"
#include "plan/padding.h"
#include "poly/movement.h"
#include "support/text.h"
#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace nw {

namespace {

// Which dimensions an array's subscripts follow, one each.
struct Reading {
  std::string array;
  int bytes = 4;
  bool byX = false, byY = false, byStrip = false;
  bool isFastByX = false, isFastByY = false, isFastByStrip = false; // the last subscript does
  int depth = 0;
  // What loops inside of the strip's add to a copy, a filter's: to its length along the tile and
  // along the strip; and how many times as large they make it.
  int64_t haloOfTile = 0, haloOfStrip = 0, times = 1;
  bool isFastByFilter = false; // the last subscript follows one of them alone
};

class Choice {
public:
  Choice(const Program &p, const Step &step, const std::vector<std::string> &grid,
         const DeviceSpec &device, const TileOptions &options)
      : p(p), step(step), device(device), options(options) {
    for (const std::string &name : grid)
      order.push_back(parallelNumber(step, name));
    x = order[0];
    for (const std::string &name : step.statements)
      for (const Access &a : p.find(name)->accesses)
        if (a.isWrite)
          written.insert(a.array);
  }

  TileChoice run() {
    if (!options.staging || device.sharedBytes < 8192 || device.warp < 8)
      return {};
    for (size_t n = 1; n < order.size(); n++) { // the other dimension of the tile
      y = order[n];
      for (size_t k = 0; k < step.insideNames.size(); k++)
        if (!step.insideNames[k].empty())
          if (TileChoice made = products(step.parallel.size() + k, step.insideNames[k]);
              !made.tiles.empty())
            return made;
      if (TileChoice made = transpositions(); !made.tiles.empty())
        return made;
    }
    return {};
  }

private:
  // The tile's dimensions, then those of which a block has one value.
  std::vector<std::string> gridOf(size_t first, size_t second) const {
    std::vector<std::string> all = {step.parallel[first].name, step.parallel[second].name};
    for (size_t d : order)
      if (d != first && d != second)
        all.push_back(step.parallel[d].name);
    return all;
  }

  bool isCandidate(const Statement &s, const Access &a) const {
    const Array &array = p.arrays.at(a.array);
    return !a.isWrite && array.kind == ArrayKind::Memory && !array.isScalar() && !array.slots &&
           !array.variable.type.isStruct() && array.flatSizes.empty() && !written.count(a.array) &&
           array.extents.size() <= 4 && // the verifier follows no more subscripts of a copy
           s.loops.size() >= step.parallel.size();
  }

  // Nothing where a subscript follows several dimensions, or none regularly.
  std::optional<Reading> reading(const Statement &s, const Access &a, size_t strip) const {
    Reading r;
    r.array = a.array;
    r.bytes = int(p.arrays.at(a.array).elementBytes);
    r.depth = int(s.loops.size());
    std::vector<std::vector<int64_t>> moves;
    for (size_t d : {x, y, strip}) {
      if (d == SIZE_MAX) {
        moves.emplace_back(moves[0].size(), 0);
        continue;
      }
      std::optional<std::vector<int64_t>> m = movement(s, a, step, d);
      if (!m)
        return std::nullopt;
      moves.push_back(*m);
    }
    for (size_t k = 0; k < moves[0].size(); k++) {
      int how = 0;
      for (size_t d = 0; d < 3; d++) {
        if (moves[d][k] != 0 && moves[d][k] != 1)
          return std::nullopt;
        how += int(moves[d][k]);
      }
      if (how > 1)
        return std::nullopt;
      bool isLast = k + 1 == moves[0].size();
      r.byX |= moves[0][k] == 1;
      r.byY |= moves[1][k] == 1;
      r.byStrip |= moves[2][k] == 1;
      r.isFastByX |= isLast && moves[0][k] == 1;
      r.isFastByY |= isLast && moves[1][k] == 1;
      r.isFastByStrip |= isLast && moves[2][k] == 1;
    }
    return r;
  }

  // ---- products: what is read along a sequential loop does not depend on one of the two
  // dimensions ----

  TileChoice products(size_t strip, const std::string &loop) const {
    std::vector<Reading> all;
    bool sharedAlongX = false, sharedAlongY = false;
    int words = 0;            // registers of the accumulators of a point
    bool areInMemory = false; // then their addresses need registers, too
    for (const std::string &name : step.statements) {
      const Statement &s = *p.find(name);
      if (!runsAlong(s, strip))
        continue;
      std::set<std::string> targets;
      for (const Access &a : s.accesses) {
        if (a.isWrite && targets.insert(a.array).second)
          words += int((p.arrays.at(a.array).elementBytes + 3) / 4);
        areInMemory |= a.isWrite && p.arrays.at(a.array).kind == ArrayKind::Memory;
        if (!isCandidate(s, a))
          continue;
        std::optional<Reading> r = reading(s, a, strip);
        if (!r || !r->byStrip || r->byX == r->byY)
          continue;
        if (!addFilter(*r, s, a, strip))
          return {}; // no copy of a strip has room for it: the strips are those of that loop
        sharedAlongX |= r->byY;
        sharedAlongY |= r->byX;
        if (std::none_of(all.begin(), all.end(),
                         [&](const Reading &o) { return o.array == r->array; }))
          all.push_back(*r);
      }
    }
    if (!sharedAlongX || !sharedAlongY || words == 0)
      return {};
    int bytes = 0;
    std::vector<std::string> arrays;
    for (const Reading &r : all) {
      bytes = std::max(bytes, r.bytes);
      arrays.push_back(r.array);
    }
    bool isFiltered = std::any_of(all.begin(), all.end(), [](const Reading &r) {
      return r.times > 1 || r.haloOfTile > 0 || r.haloOfStrip > 0;
    });
    TileChoice made;
    std::vector<TilePlan> others; // for the sizes that those do not suit
    for (const Size &size : sizes(isFiltered)) {
      TilePlan t;
      int px = size.points[0], py = size.points[1], threads = size.block[0] * size.block[1];
      while (px * py * words > (areInMemory ? kMostAccumulators / 2 : kMostAccumulators) && px > 1)
        (px >= py ? px : py) /= 2;
      if (size.isNarrow && std::vector{px, py} != size.points)
        continue;
      t.grid = gridOf(x, y);
      t.block = size.block;
      t.threadTile = {px, py};
      t.contiguous = {std::min(px, std::max(1, 16 / bytes)), std::min(py, std::max(1, 16 / bytes))};
      t.strip = loop;
      t.stripLength = options.registers ? kStripLength : size.block[0];
      t.prefetch = loadsOf(all, t) <= kMostPrefetched ? 1 : 0;
      t.profitableFrom = std::max(1, size.least);
      t.minBlocksPerSm =
          std::clamp(device.registers / (2 * kMostAccumulators * threads), 1, kMostBlocks);
      for (const Reading &r : all)
        t.staged.push_back({r.array, paddingFor(r, t)});
      while (isFiltered && t.stripLength > 1 && sharedBytesOf(all, t) > device.sharedBytes)
        t.stripLength /= 2;
      auto isSame = [&](const TilePlan &o) {
        return o.threadTile == t.threadTile && o.block == t.block;
      };
      if (sharedBytesOf(all, t) > device.sharedBytes ||
          std::any_of(made.tiles.begin(), made.tiles.end(), isSame))
        continue;
      if (std::optional<TilePlan> wide = withVectors(all, t, words)) {
        made.tiles.push_back(*wide);
        wide->vectorBytes = 0;
        wide->tail = Tail::ShiftInwards;
        if (!size.isNarrow)
          others.push_back(*wide);
      } else {
        if (isFiltered && options.vectors && px > 1)
          others.push_back(shiftedInwards(all, t));
        if (!size.isNarrow && (!isFiltered || px <= 4))
          others.push_back(t);
      }
    }
    made.tiles.insert(made.tiles.end(), others.begin(), others.end());
    if (!made.tiles.empty())
      made.why =
          fmt::format("points of a tile share what they read of {} along {}: copied to shared "
                      "memory strip by strip, each thread with several points in registers",
                      joined(arrays, ", "), loop);
    return made;
  }

  // A block and the points of its threads. The narrow one is for few columns, and for matrices that
  // are too small for enough of the large tiles.
  struct Size {
    std::vector<int> block, points;
    int least;
    bool isNarrow = false;
  };
  std::vector<Size> sizes(bool isFiltered) const {
    int side = sideOfBlock(), half = std::max(1, side / 2);
    if (!options.registers)
      return {{{side, side}, {1, 1}, device.multiprocessors * 3 / 2}};
    Size large = {{side, side}, {8, 8}, device.multiprocessors * 3 / 2},
         narrow = {{half, side}, {8, 8}, device.multiprocessors * 3 / 4, true},
         small = {{side, side}, {4, 4}, device.multiprocessors / 2},
         filter = {{side, half}, {4, 8}, device.multiprocessors / 2};
    return isFiltered ? std::vector{large, filter} : std::vector{large, narrow, small};
  }

  // The same for tiles that lie inside, with copies of any length: two buffers, so that a barrier
  // is enough for each strip, where the strips need not be shorter for them.
  TilePlan shiftedInwards(const std::vector<Reading> &all, TilePlan t) const {
    t.tail = Tail::ShiftInwards;
    t.prefetch = 0;
    t.stages = 2;
    if (sharedBytesOf(all, t) > device.sharedBytes)
      t.stages = 1;
    return t;
  }

  // The same for sizes that it divides: loads of 16 bytes need so few registers that the next strip
  // can be on its way, and with two buffers a barrier is enough for each strip. Single elements
  // that are neighbours need as few, for tiles that lie inside.
  std::optional<TilePlan> withVectors(const std::vector<Reading> &all, TilePlan t,
                                      int accumulators) const {
    t.tail = Tail::Exact;
    t.vectorBytes = 16;
    t.stages = 2;
    int64_t threads = int64_t(t.block[0]) * t.block[1], words = 0;
    for (const Reading &r : all) {
      int64_t unit = t.vectorBytes / r.bytes, along = alongTile(r, t);
      if ((r.bytes != 4 && r.bytes != 8) || sizeOf(r, t) % (threads * unit) != 0 ||
          (r.isFastByStrip ? t.stripLength : along) % unit != 0)
        return std::nullopt;
      words += sizeOf(r, t) / threads * r.bytes / 4;
    }
    int px = t.threadTile[0], py = t.threadTile[1];
    words += (px * py + px + py) * accumulators;
    t.prefetch = words <= kMostWords ? 1 : 0;
    return options.vectors && sharedBytesOf(all, t) <= device.sharedBytes ? std::optional(t)
                                                                          : std::nullopt;
  }

  // Adds what loops inside of the strip's move the access by. False where one of them has more than
  // a few values.
  bool addFilter(Reading &r, const Statement &s, const Access &a, size_t strip) const {
    auto movesWith = [&](size_t d, size_t subscript) {
      std::optional<std::vector<int64_t>> m = movement(s, a, step, d);
      return m && (*m)[subscript] != 0;
    };
    std::map<size_t, int64_t> others; // subscripts of the filter alone, and their values
    for (size_t k = strip + 1; k < step.parallel.size() + step.insideNames.size(); k++) {
      if (!runsAlong(s, k))
        continue;
      std::optional<std::vector<int64_t>> m = movement(s, a, step, k);
      std::optional<int64_t> many = valuesOf(s, k - step.parallel.size());
      if (!m || (!many && std::any_of(m->begin(), m->end(), [](int64_t by) { return by != 0; })))
        return false;
      for (size_t n = 0; n < m->size(); n++) {
        int64_t by = (*m)[n] == 0 ? 0 : std::abs((*m)[n]) * (*many - 1);
        if (by == 0)
          continue;
        if (movesWith(x, n) || movesWith(y, n))
          r.haloOfTile += by;
        else if (movesWith(strip, n))
          r.haloOfStrip += by;
        else
          others.try_emplace(n, 1).first->second += by;
      }
      r.isFastByFilter = others.count(m->size() - 1) > 0;
    }
    for (auto &[subscript, many] : others)
      r.times *= many;
    return true;
  }

  // How many values a loop inside has, where they are few and the same ones for all sizes.
  std::optional<int64_t> valuesOf(const Statement &s, size_t level) const {
    int64_t most = 1;
    for (const isl::map &m : mapsOf(step.inside)) {
      if (inputTupleOf(m) != s.name)
        continue;
      isl::set values = m.intersect_domain(s.domain).range();
      int dims = dimsOf(values), at = int(level);
      values = projectOut(projectOut(values, at + 1, dims - at - 1), 0, at);
      std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(values.copy(), 0))),
                          high = longOf(isl::manage(isl_set_dim_max_val(values.copy(), 0)));
      if (!low || !high || *high - *low >= kMostOfFilter)
        return std::nullopt;
      most = std::max<int64_t>(most, *high - *low + 1);
    }
    return most;
  }

  bool runsAlong(const Statement &s, size_t strip) const {
    for (const isl::map &m : mapsOf(step.inside))
      if (inputTupleOf(m) == s.name) {
        int at = int(strip - step.parallel.size());
        isl_val *fixed = isl_map_plain_get_val_if_fixed(m.get(), isl_dim_out, at);
        bool is = isl_val_is_nan(fixed);
        isl_val_free(fixed);
        return is;
      }
    return false;
  }

  // Of a square block: a power of two.
  int sideOfBlock() const {
    int side = 1;
    while (4 * side * side <= std::min(256, device.blockThreads))
      side *= 2;
    return side;
  }

  int64_t alongTile(const Reading &r, const TilePlan &t) const {
    int d = r.byX ? 0 : 1;
    return int64_t(t.block[size_t(d)]) * t.threadTile[size_t(d)] + r.haloOfTile;
  }

  // Elements of a copy.
  int64_t sizeOf(const Reading &r, const TilePlan &t, int padding = 0) const {
    return (t.stripLength + r.haloOfStrip) * (alongTile(r, t) + padding) * r.times;
  }

  int64_t sharedBytesOf(const std::vector<Reading> &all, const TilePlan &t) const {
    int64_t bytes = 0;
    for (size_t k = 0; k < all.size(); k++)
      bytes += t.stages * sizeOf(all[k], t, t.staged[k].padding) * all[k].bytes;
    return bytes;
  }

  // Elements of a strip that each thread loads.
  int64_t loadsOf(const std::vector<Reading> &all, const TilePlan &t) const {
    int64_t loads = 0, threads = int64_t(t.block[0]) * t.block[1];
    for (const Reading &r : all)
      loads += (sizeOf(r, t) + threads - 1) / threads;
    return loads;
  }

  // The copy has the strip's values as rows. Threads write it along the array's last subscript,
  // which may be across the rows.
  int paddingFor(const Reading &r, const TilePlan &t) const {
    if (!options.padding || (!r.isFastByStrip && !r.isFastByFilter))
      return 0;
    int64_t along = alongTile(r, t), rows = t.stripLength * (r.isFastByFilter ? r.times : 1);
    int step = std::max(1, 16 / r.bytes); // rows stay aligned for loads of 16 bytes
    int best = 0, fewest = INT_MAX;
    for (int pad = 0; pad <= 8 * step; pad += step) {
      std::map<int64_t, std::set<int64_t>> banks;
      for (int lane = 0; lane < device.warp; lane++) {
        int64_t word =
            (int64_t(lane % rows) * (along + pad) + lane / rows) * r.bytes / device.bankWidth;
        banks[word % device.banks].insert(word);
      }
      int turns = 0;
      for (auto &[bank, words] : banks)
        turns = std::max(turns, int(words.size()));
      if (turns < fewest) {
        fewest = turns;
        best = pad;
      }
    }
    return best;
  }

  // ---- transpositions: reads that follow the other dimension ----

  TileChoice transpositions() const {
    std::vector<Reading> across;
    int along[2] = {0, 0}; // accesses that want the dimension along neighbouring threads, of those
                           // that cannot be staged
    for (const std::string &name : step.statements) {
      const Statement &s = *p.find(name);
      if (s.loops.size() != step.parallel.size())
        return {};
      for (const Access &a : s.accesses) {
        if (p.arrays.at(a.array).kind == ArrayKind::Private || p.arrays.at(a.array).isScalar())
          continue;
        std::optional<Reading> r = reading(s, a, SIZE_MAX);
        if (!r)
          return {};
        if (isCandidate(s, a) && r->byX && r->byY) {
          across.push_back(*r);
          continue;
        }
        along[0] += r->isFastByX;
        along[1] += r->isFastByY;
      }
    }
    bool isTurned = along[1] > along[0]; // x and y swap
    std::set<std::string> arrays;
    int bytes = 1;
    for (const Reading &r : across)
      if (isTurned ? r.isFastByX : r.isFastByY) {
        arrays.insert(r.array);
        bytes = std::max(bytes, r.bytes);
      }
    if (arrays.empty())
      return {};
    TilePlan t;
    t.grid = gridOf(isTurned ? y : x, isTurned ? x : y);
    int threads = std::min(kTurningThreads, device.blockThreads), side = 2 * device.warp;
    while (side > threads || side / (threads / side) > kMostPoints)
      side /= 2;
    int rows = std::min(threads / side, side);
    t.block = {side, rows};
    t.threadTile = {1, side / rows};
    t.contiguous = {1, 1};
    for (const std::string &a : arrays)
      t.staged.push_back(
          {a, options.padding ? choosePadding({{1, 0, 1}, {0, 1, 1}}, side, bytes, device).elements
                              : 0});
    auto bytesOfTiles = [&] {
      return int64_t(arrays.size()) * side * (side + t.staged[0].padding) * bytes;
    };
    if (bytesOfTiles() > device.sharedBytes) // then without unused elements
      for (StagedArray &a : t.staged)
        a = {a.array, 0, options.padding ? std::min(device.warp, side) : 0};
    if (bytesOfTiles() > device.sharedBytes)
      return {};
    t.profitableFrom = std::max(1, device.multiprocessors / 4);
    return {{t},
            fmt::format("{} would be read across its rows: tiles of it are turned in shared memory",
                        joined({arrays.begin(), arrays.end()}, ", "))};
  }

  // Of a block that turns a tile. On the H200, 512 instead of 256 took 2 % more for 8192 x 8192
  // floats and 7 % less for 8191 x 8191.
  static constexpr int kTurningThreads = 512;
  static constexpr int kMostOfFilter = 64;     // values of a loop inside a point, along an array
  static constexpr int kMostAccumulators = 64; // registers; the points' operands come on top
  static constexpr int kStripLength =
      8; // a row of it that is read along the strip is a sector of memory or more
  // 32-bit registers of sums, of operands and of what is on its way by wide loads. In float, tiles
  // of 128 x 128 have 88 and those of 64 x 128 92; in double there are 100, which spills.
  static constexpr int kMostWords = 96;
  static constexpr int kMostBlocks = 4; // that a multiprocessor is asked to hold
  static constexpr int kMostPrefetched =
      6; // elements on their way, each with an address, that leave registers for the products

  const Program &p;
  const Step &step;
  const DeviceSpec &device;
  const TileOptions &options;
  std::vector<size_t> order; // the parallel dimensions, as the grid has them
  size_t x = 0, y = 1;
  std::set<std::string> written;
};

} // namespace

bool fillsBox(const Program &p, const Step &step, const Statement &s) {
  isl::union_map values = step.parallel[0].value;
  for (size_t d = 1; d < step.parallel.size(); d++)
    values =
        isl::manage(isl_union_map_flat_range_product(values.copy(), step.parallel[d].value.copy()));
  for (const isl::map &m : mapsOf(values))
    if (inputTupleOf(m) == s.name)
      return isBoxIn(m.intersect_domain(s.domain).range(), p.context.intersect(p.assumptions));
  return false;
}

bool sharesOperands(const Program &p, const Step &step, const Statement &s) {
  for (size_t k = 0; k < step.insideNames.size(); k++) {
    std::vector<std::set<size_t>> followed; // parallel dimensions, by each read along the loop
    for (const Access &a : s.accesses) {
      if (a.isWrite || p.arrays.at(a.array).kind != ArrayKind::Memory)
        continue;
      auto follows = [&](size_t d) {
        std::optional<std::vector<int64_t>> m = movement(s, a, step, d);
        return m && std::any_of(m->begin(), m->end(), [](int64_t by) { return by != 0; });
      };
      if (step.insideNames[k].empty() || !follows(step.parallel.size() + k))
        continue;
      std::set<size_t> own;
      for (size_t d = 0; d < step.parallel.size(); d++)
        if (follows(d))
          own.insert(d);
      followed.push_back(own);
    }
    for (const std::set<size_t> &a : followed)
      for (const std::set<size_t> &b : followed)
        if (!std::includes(a.begin(), a.end(), b.begin(), b.end()) &&
            !std::includes(b.begin(), b.end(), a.begin(), a.end()))
          return true;
  }
  return false;
}

TileChoice chooseTiles(const Program &p, const Step &step, const std::vector<std::string> &grid,
                       const DeviceSpec &device, const TileOptions &options) {
  if (step.kind != StepKind::Parallel || grid.size() < 2 || grid.size() != step.parallel.size())
    return {};
  return Choice(p, step, grid, device, options).run();
}

} // namespace nw
