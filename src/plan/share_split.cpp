// Splits and tiles.
#include "plan/share_split.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::share {

namespace {

Length divided(const Length &length, int64_t by) {
  return by == 1 || length.isAny() ? length : length / number(by);
}

// The axis that a subscript divides: its only one, or the only parallel one among several (the rest
// are run through as a whole, like the offsets of a stencil that is written out). Nothing where it
// divides none.
std::optional<size_t> dividedAxis(const Nest &nest, const Seed &seed, const Row &row) {
  std::vector<size_t> all, parallel;
  for (size_t k = 0; k < row.coefficients.size(); k++) {
    if (row.coefficients[k] == 0 || nest.axes[k].kind == AxisKind::Outer)
      continue;
    all.push_back(k);
    if (nest.axes[k].kind == AxisKind::Parallel)
      parallel.push_back(k);
  }
  if (parallel.size() > 1)
    throw UserError{fmt::format("share: a subscript of '{}' runs along two parallel loops, {} and "
                                "{}: a part of the array is no part of the loops",
                                seed.array, nest.axes[parallel[0]].name,
                                nest.axes[parallel[1]].name)};
  if (all.size() == 1)
    return all[0];
  return parallel.empty() ? std::nullopt : std::optional(parallel[0]);
}

// Where the two contradict each other: the first such axis.
std::optional<size_t> contradiction(const Split &a, const Split &b) {
  for (const auto &[axis, length] : a.lengths) {
    auto other = b.lengths.find(axis);
    if (other != b.lengths.end() && !length.isAny() && !other->second.isAny() &&
        !isSame(length, other->second))
      return axis;
  }
  return std::nullopt;
}

Split intersection(Split a, const Split &b) {
  for (const auto &[axis, length] : b.lengths)
    if (auto [at, isNew] = a.lengths.emplace(axis, length); !isNew && at->second.isAny())
      at->second = length;
  return a;
}

// The inverse image of the seed's partition through one reference.
Split inverseImage(const Nest &nest, const Seed &seed, const Reference &r) {
  Split split;
  for (size_t k = 0; k < seed.lengths.size(); k++)
    if (std::optional<size_t> axis = dividedAxis(nest, seed, r.rows[k])) {
      Split one{{{*axis, divided(seed.lengths[k], std::abs(r.rows[k].coefficients[*axis]))}}};
      if (contradiction(split, one))
        throw UserError{fmt::format("share: '{}' has both {} and {} along loop {}", seed.array,
                                    text(split.lengths.at(*axis)), text(one.lengths.at(*axis)),
                                    nest.axes[*axis].name)};
      split = intersection(split, one);
    }
  return split;
}

// One split for each group of references that agree.
std::vector<Split> alternativesOf(const Nest &nest, const Seed &seed) {
  std::vector<Split> found;
  for (const Reference &r : nest.references) {
    if (r.array != seed.array || !r.isRegular)
      continue;
    if (r.rows.size() != seed.lengths.size())
      throw UserError{fmt::format("share: '{}' has {} dimensions here, and {} lengths are given",
                                  seed.array, r.rows.size(), seed.lengths.size())};
    Split split = inverseImage(nest, seed, r);
    auto fitting = std::ranges::find_if(
        found, [&](const Split &other) { return !contradiction(split, other); });
    if (fitting == found.end())
      found.push_back(split);
    else
      *fitting = intersection(*fitting, split);
  }
  if (found.empty())
    throw UserError{fmt::format("share: no affine reference to '{}' in these loops", seed.array)};
  return found;
}

// Throws where no alternative of one seed goes with any of another.
void demandCompatible(const Nest &nest, const std::vector<Seed> &seeds,
                      const std::vector<std::vector<Split>> &alternatives) {
  for (size_t a = 0; a < seeds.size(); a++)
    for (size_t b = a + 1; b < seeds.size(); b++) {
      std::optional<size_t> axis;
      std::pair<Length, Length> lengths;
      bool fits = false;
      for (const Split &one : alternatives[a])
        for (const Split &other : alternatives[b]) {
          std::optional<size_t> at = contradiction(one, other);
          fits = fits || !at;
          if (at && !axis) {
            axis = at;
            lengths = {one.lengths.at(*at), other.lengths.at(*at)};
          }
        }
      if (!fits)
        throw UserError{fmt::format("share: '{}' and '{}' contradict each other: loop {} would go "
                                    "in pieces of {} for the one and of {} for the other",
                                    seeds[a].array, seeds[b].array, nest.axes[*axis].name,
                                    text(lengths.first), text(lengths.second))};
    }
}

bool movesAlike(const Reference &a, const Reference &b) {
  return std::ranges::equal(a.rows, b.rows, [](const Row &x, const Row &y) {
    return x.coefficients == y.coefficients && x.rest.factors == y.rest.factors;
  });
}

Tile tileOf(const Nest &nest, const Split &split, std::vector<size_t> references, int &freeNames) {
  const Reference &first = nest.references[references[0]];
  Tile tile{first.array, {}, references};
  for (size_t k = 0; k < first.rows.size(); k++) {
    TileRow row;
    bool isFree = false;
    for (size_t axis = 0; axis < nest.axes.size(); axis++)
      if (int64_t c = first.rows[k].coefficients[axis]; c != 0) {
        row.terms.push_back({axis, std::abs(c)});
        isFree = isFree || split.lengths.at(axis).isAny();
      }
    int64_t low = first.rows[k].rest.constant, high = low;
    for (size_t r : references) {
      low = std::min(low, nest.references[r].rows[k].rest.constant);
      high = std::max(high, nest.references[r].rows[k].rest.constant);
    }
    row.range = high - low;
    if (isFree)
      row.freeName = fmt::format("k{}", ++freeNames);
    tile.rows.push_back(row);
  }
  return tile;
}

} // namespace

std::string text(const Nest &nest, const Split &split) {
  std::string out;
  for (const auto &[axis, length] : split.lengths) {
    const Axis &a = nest.axes[axis];
    out +=
        fmt::format("{}{}:[{}:{}:{}]", out.empty() ? "" : ", ", a.name, a.low, a.end, text(length));
  }
  return out;
}

std::vector<Split> splitsOf(const Nest &nest, const std::vector<Seed> &seeds) {
  std::vector<std::vector<Split>> alternatives;
  for (const Seed &seed : seeds)
    alternatives.push_back(alternativesOf(nest, seed));
  demandCompatible(nest, seeds, alternatives);
  std::vector<Split> all = {Split{}};
  for (size_t s = 0; s < seeds.size(); s++) {
    std::vector<Split> next;
    for (const Split &before : all)
      for (const Split &one : alternatives[s])
        if (!contradiction(before, one))
          next.push_back(intersection(before, one));
    if (next.empty())
      throw UserError{
          fmt::format("share: '{}' contradicts '{}' and the seeds before it taken together",
                      seeds[s].array, seeds[s - 1].array)};
    all = next;
  }
  return all;
}

Split completed(const Nest &nest, const Split &split) {
  Split out = split;
  for (size_t k = 0; k < nest.axes.size(); k++) {
    auto [at, isNew] = out.lengths.emplace(k, anyLength());
    if (!at->second.isAny() || nest.axes[k].kind == AxisKind::Inside)
      continue;
    auto thread = std::ranges::find(nest.threads, k);
    const Length along[] = {threadsX(), threadsY(), threadsZ()};
    at->second = thread == nest.threads.end() ? number(1) : along[thread - nest.threads.begin()];
  }
  return out;
}

std::vector<Tile> tilesOf(const Nest &nest, const Split &split,
                          const std::vector<std::string> &arrays) {
  std::vector<Tile> tiles;
  int freeNames = 0;
  for (const std::string &array : arrays) {
    std::vector<std::vector<size_t>> groups;
    bool isRegular = true;
    for (size_t r = 0; r < nest.references.size(); r++) {
      if (nest.references[r].array != array)
        continue;
      isRegular = isRegular && nest.references[r].isRegular;
      auto group = std::ranges::find_if(groups, [&](const std::vector<size_t> &g) {
        return movesAlike(nest.references[g[0]], nest.references[r]);
      });
      if (group == groups.end())
        groups.push_back({r});
      else
        group->push_back(r);
    }
    if (isRegular)
      for (const std::vector<size_t> &group : groups)
        tiles.push_back(tileOf(nest, split, group, freeNames));
  }
  return tiles;
}

int64_t lengthOf(const TileRow &row, const AxisLengths &lengths) {
  int64_t length = 1 + row.range;
  for (const auto &[axis, factor] : row.terms)
    length += factor * (lengths[axis] - 1);
  return length;
}

int64_t overlapOf(const TileRow &row, const AxisLengths &lengths) {
  if (row.terms.empty())
    return lengthOf(row, lengths);
  // The next tile begins where the first axis has gone one length further.
  const auto &[axis, factor] = row.terms[0];
  return std::max<int64_t>(0, lengthOf(row, lengths) - factor * lengths[axis]);
}

double elementsOf(const Tile &tile, const AxisLengths &lengths) {
  double count = 1;
  for (const TileRow &row : tile.rows)
    count *= double(lengthOf(row, lengths));
  return count;
}

std::string text(const Split &split, const Tile &tile) {
  std::string out = tile.array;
  for (const TileRow &row : tile.rows) {
    std::string sum;
    int64_t constant = 1 + row.range;
    for (const auto &[axis, factor] : row.terms) {
      const Length &length = split.lengths.at(axis);
      constant -= factor;
      if (length.kind == Length::Number) {
        constant += factor * length.number;
        continue;
      }
      std::string part = length.isAny()                        ? row.freeName
                         : factor > 1 && !length.parts.empty() ? "(" + text(length) + ")"
                                                               : text(length);
      sum += (sum.empty() ? "" : " + ") + (factor > 1 ? fmt::format("{}*{}", factor, part) : part);
    }
    if (sum.empty())
      sum = std::to_string(constant);
    else if (constant)
      sum += fmt::format(" {} {}", constant < 0 ? '-' : '+', std::abs(constant));
    out += "[" + sum + "]";
  }
  return out;
}

} // namespace nw::share
