// Footprints of tiles.
#include "analysis/tile_footprint.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

constexpr int64_t kMostPoints = 1 << 22; // that are counted one by one

// Counters go up by the loop's step; the origin is the lowest of the tile.
int64_t stepOf(const Program &p, int loop) {
  return std::max<int64_t>(1, std::abs(p.loop(loop).step));
}
int64_t sizeOf(const TileSizes &tile, int loop) {
  auto found = tile.find(loop);
  return found == tile.end() ? 1 : found->second;
}

bool matches(bool isWrite, Touch touch) {
  return touch == Touch::Both || isWrite == (touch == Touch::Writes);
}

// One subscript over the tile, from the origin on, without the constant.
struct Span {
  int64_t low = 0, high = 0;
};
Span spanOf(const Program &p, const AffineReference &r, size_t subscript, const TileSizes &tile) {
  Span s;
  for (size_t k = 0; k < r.loops.size(); k++) {
    int64_t reach = r.linear[subscript][k] * stepOf(p, r.loops[k]) * (sizeOf(tile, r.loops[k]) - 1);
    (reach < 0 ? s.low : s.high) += reach;
  }
  return s;
}

// Whether every image is a box without gaps: each subscript moves with one loop at most, one at a
// time.
bool isDense(const Program &p, const AffineReference &r, const TileSizes &tile) {
  std::set<size_t> used;
  for (const IntegerRow &row : r.linear) {
    int movers = 0;
    for (size_t k = 0; k < row.size(); k++)
      if (row[k] && sizeOf(tile, r.loops[k]) > 1)
        if (++movers > 1 || std::abs(row[k]) * stepOf(p, r.loops[k]) != 1 || !used.insert(k).second)
          return false;
  }
  return true;
}

// Elements of the union of boxes of one size at several positions: cells between all their edges,
// covered or not.
int64_t countTranslatedBoxes(const std::vector<IntegerRow> &offsets, const IntegerRow &extents,
                             size_t subscript = 0) {
  if (subscript == extents.size())
    return offsets.empty() ? 0 : 1;
  std::set<int64_t> edges;
  for (const IntegerRow &offset : offsets)
    edges.insert({offset[subscript], offset[subscript] + extents[subscript]});
  int64_t sum = 0;
  for (auto edge = edges.begin(); edge != edges.end() && std::next(edge) != edges.end(); ++edge) {
    std::vector<IntegerRow> inside;
    for (const IntegerRow &offset : offsets)
      if (offset[subscript] <= *edge && *edge < offset[subscript] + extents[subscript])
        inside.push_back(offset);
    if (!inside.empty())
      sum += (*std::next(edge) - *edge) * countTranslatedBoxes(inside, extents, subscript + 1);
  }
  return sum;
}

// Point by point, in a bit map of the hull.
int64_t countPoints(const Program &p, const FootprintBox &box, const TileSizes &tile) {
  std::vector<bool> touched(size_t(box.hullElements()), false);
  const AffineReference &any = box.references[0];
  IntegerRow counter(any.loops.size(), 0);
  for (bool more = true; more;) {
    for (const AffineReference &r : box.references) {
      int64_t at = 0;
      for (size_t s = 0; s < r.linear.size(); s++) {
        int64_t subscript = r.offset[s] - box.low[s];
        for (size_t k = 0; k < counter.size(); k++)
          subscript += r.linear[s][k] * stepOf(p, r.loops[k]) * counter[k];
        at = at * box.extents[s] + subscript;
      }
      touched[size_t(at)] = true;
    }
    more = false;
    for (size_t k = counter.size(); k-- > 0 && !more;) {
      counter[k] = (counter[k] + 1) % sizeOf(tile, any.loops[k]);
      more = counter[k] != 0;
    }
  }
  return std::count(touched.begin(), touched.end(), true);
}

void countElements(const Program &p, FootprintBox &box, const TileSizes &tile) {
  const AffineReference &any = box.references[0];
  if (isDense(p, any, tile)) {
    IntegerRow single;
    std::vector<IntegerRow> offsets;
    for (size_t s = 0; s < any.linear.size(); s++)
      single.push_back(spanOf(p, any, s, tile).high - spanOf(p, any, s, tile).low + 1);
    for (const AffineReference &r : box.references)
      offsets.push_back(r.offset);
    box.elements = countTranslatedBoxes(offsets, single);
    return;
  }
  double points = double(box.references.size());
  for (int loop : any.loops)
    points *= double(sizeOf(tile, loop));
  box.isExact = points <= double(kMostPoints) && box.hullElements() <= kMostPoints;
  box.elements = box.isExact ? countPoints(p, box, tile) : box.hullElements();
}

FootprintBox boxOf(const Program &p, const std::vector<AffineReference> &references,
                   const TileSizes &tile) {
  FootprintBox box;
  box.references = references;
  const AffineReference &any = references[0];
  for (size_t s = 0; s < any.linear.size(); s++) {
    int64_t least = any.offset[s], most = any.offset[s];
    for (const AffineReference &r : references) {
      least = std::min(least, r.offset[s]);
      most = std::max(most, r.offset[s]);
    }
    Span span = spanOf(p, any, s, tile);
    box.low.push_back(span.low + least);
    box.extents.push_back(span.high - span.low + most - least + 1);
    box.below.push_back(std::max<int64_t>(0, -least));
    box.above.push_back(std::max<int64_t>(0, most));
    int64_t movers = 0, move = 0;
    for (size_t k = 0; k < any.loops.size(); k++)
      if (any.linear[s][k] && sizeOf(tile, any.loops[k]) > 1) {
        movers++;
        move = std::abs(any.linear[s][k]) * stepOf(p, any.loops[k]) * sizeOf(tile, any.loops[k]);
      }
    box.shared.push_back(movers == 1 ? std::max<int64_t>(0, box.extents[s] - move) : 0);
  }
  countElements(p, box, tile);
  return box;
}

int64_t iterationsOf(const Statement &s, const TileSizes &tile) {
  int64_t product = 1;
  for (int loop : s.loops)
    product *= sizeOf(tile, loop);
  return product;
}

// Different elements of one array, over all its references.
int64_t countTouched(const Program &p, const std::vector<const Statement *> &statements,
                     const std::string &array, const TileSizes &tile, Touch touch, bool &isExact) {
  int64_t sum = 0;
  for (const FootprintBox &box : footprintBoxes(p, statements, array, tile, touch)) {
    isExact &= box.isExact && sum == 0; // a second box may overlap the first
    sum += box.elements;
  }
  for (const Statement *s : statements)
    for (size_t k = 0; k < s->accesses.size(); k++)
      if (const Access &a = s->accesses[k];
          a.array == array && matches(a.isWrite, touch) && !affineReference(*s, k)) {
        isExact = false;
        sum += iterationsOf(*s, tile);
      }
  return sum;
}

} // namespace

int64_t FootprintBox::hullElements() const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

std::vector<FootprintBox> footprintBoxes(const Program &p,
                                         const std::vector<const Statement *> &statements,
                                         const std::string &array, const TileSizes &tile,
                                         Touch touch) {
  std::vector<std::vector<AffineReference>> groups;
  for (const AffineReference &r : affineReferences(p, statements)) {
    if (r.array != array || !matches(r.isWrite, touch))
      continue;
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](auto &g) { return g[0].isTranslationOf(r); });
    if (found == groups.end())
      groups.push_back({r});
    else
      found->push_back(r);
  }
  std::vector<FootprintBox> boxes;
  for (const auto &group : groups)
    boxes.push_back(boxOf(p, group, tile));
  return boxes;
}

std::string originOf(const Program &p, int loop) {
  return fmt::format("tile{}_{}", loop, p.loop(loop).counter);
}

isl::set tileElements(const Program &p, const std::vector<const Statement *> &statements,
                      const std::string &array, const TileSizes &tile, Touch touch) {
  Unset<isl::set> all;
  for (const Statement *s : statements) {
    std::string parameters, names, bounds;
    for (size_t k = 0; k < s->loops.size(); k++) {
      std::string origin = originOf(p, s->loops[k]);
      parameters += (k ? ", " : "") + origin;
      names += fmt::format("{}c{}", k ? ", " : "", k);
      bounds += fmt::format("{} {} <= c{} <= {} + {}", k ? " and" : " :", origin, k, origin,
                            stepOf(p, s->loops[k]) * (sizeOf(tile, s->loops[k]) - 1));
    }
    isl::set box(p.isl->get(),
                 fmt::format("[{}] -> {{ {}[{}]{} }}", parameters, s->name, names, bounds));
    for (const Access &a : s->accesses)
      if (a.array == array && matches(a.isWrite, touch)) {
        isl::set image = a.relation.intersect_domain(box).range();
        all = all.is_null() ? image : all.unite(image);
      }
  }
  if (all.is_null())
    return isl::set(p.isl->get(), fmt::format("{{ {}[] : 1 = 0 }}", array));
  return all.coalesce();
}

TileTraffic tileTraffic(const Program &p, const std::vector<const Statement *> &statements,
                        const TileSizes &tile) {
  TileTraffic sum;
  for (auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Memory) {
      sum.loads += countTouched(p, statements, name, tile, Touch::Reads, sum.isExact);
      sum.stores += countTouched(p, statements, name, tile, Touch::Writes, sum.isExact);
    }
  return sum;
}

int64_t numberOfTiles(const TileSizes &tile, const TileSizes &extents) {
  int64_t product = 1;
  for (auto &[loop, extent] : extents)
    product *= (extent + sizeOf(tile, loop) - 1) / sizeOf(tile, loop);
  return product;
}

TileTraffic totalTraffic(const Program &p, const std::vector<const Statement *> &statements,
                         const TileSizes &tile, const TileSizes &extents) {
  TileTraffic one = tileTraffic(p, statements, tile);
  int64_t tiles = numberOfTiles(tile, extents);
  for (auto &[loop, extent] : extents)
    one.isExact &= extent % sizeOf(tile, loop) == 0; // partial tiles move less
  return {one.loads * tiles, one.stores * tiles, one.isExact};
}

std::string print(const Program &p, const FootprintBox &box) {
  const AffineReference &any = box.references[0];
  std::string out = any.array;
  for (size_t s = 0; s < any.linear.size(); s++) {
    IntegerRow factors = any.linear[s];
    std::vector<std::string> names;
    for (int loop : any.loops)
      names.push_back("tile_" + p.loop(loop).counter);
    for (auto &[name, factor] : any.parameters[s]) {
      factors.push_back(factor);
      names.push_back(name);
    }
    out += fmt::format("[{} : {}]", printAffine(factors, names, box.low[s]), box.extents[s]);
  }
  return out;
}

} // namespace nw
