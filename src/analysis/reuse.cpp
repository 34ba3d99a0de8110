// Rank tests and counts.
#include "analysis/reuse.h"
#include <algorithm>
#include <set>

namespace nw {

ReferenceReuse reuseOf(const AffineReference &r) {
  ReferenceReuse out;
  out.rank = r.rank();
  out.loops = int(r.loops.size());
  for (size_t k = 0; k < r.loops.size(); k++)
    if (std::all_of(r.linear.begin(), r.linear.end(),
                    [&](const IntegerRow &row) { return row[k] == 0; }))
      out.redundantLoops.push_back(r.loops[k]);
  return out;
}

TileReuse tileReuse(const Program &p, const Statement &s, const std::string &array,
                    const TileSizes &tile) {
  TileReuse out;
  int64_t iterations = 1;
  for (int loop : s.loops)
    if (auto found = tile.find(loop); found != tile.end())
      iterations *= found->second;
  std::vector<FootprintBox> boxes = footprintBoxes(p, {&s}, array, tile, Touch::Both);
  out.isExact = boxes.size() <= 1;
  for (const FootprintBox &box : boxes) {
    out.isExact &= box.isExact;
    out.different += box.elements;
    out.accesses += iterations * int64_t(box.references.size());
    // A translation touches as many elements as the first, so one box of a single reference tells
    // for all.
    Statement alone = s;
    alone.accesses = {s.accesses[box.references[0].id.access]};
    out.apart += footprintBoxes(p, {&alone}, array, tile, Touch::Both)[0].elements *
                 int64_t(box.references.size());
  }
  return out;
}

std::vector<AffineReference> referencesWithoutReuse(const Program &p, const ReuseOptions &options) {
  std::vector<AffineReference> out;
  std::set<std::string> reused;
  for (const AffineReference &r : affineReferences(p, allStatements(p)))
    if (reuseOf(r).isHigherOrder())
      reused.insert(r.array);
  for (const Statement &s : p.statements) {
    TileSizes tile;
    for (int loop : s.loops)
      tile[loop] = options.tileSize;
    for (const AffineReference &r : affineReferences(p, {&s})) {
      bool isKnown = std::any_of(out.begin(), out.end(), [&](const AffineReference &o) {
        return o.id.statement == s.name && o.isTranslationOf(r) && o.offset == r.offset;
      });
      if (isKnown || r.loops.empty() || r.linear.empty() || reused.count(r.array))
        continue;
      // Reading and writing back one element is one use of it.
      Statement others = s;
      others.accesses.clear();
      std::vector<AffineReference> kept;
      for (const AffineReference &o : affineReferences(p, {&s}))
        if (o.array == r.array && std::none_of(kept.begin(), kept.end(), [&](auto &k) {
              return k.isTranslationOf(o) && k.offset == o.offset;
            })) {
          kept.push_back(o);
          others.accesses.push_back(s.accesses[o.id.access]);
        }
      if (tileReuse(p, others, r.array, tile).constantReuse() < options.factor)
        out.push_back(r);
    }
  }
  return out;
}

} // namespace nw
