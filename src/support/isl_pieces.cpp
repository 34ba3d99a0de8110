// Coalescing where it pays.
#include "support/isl_pieces.h"

namespace nw {

isl::map inFewerPieces(const isl::map &m) {
  if (isl_map_n_basic_map(m.get()) < 2)
    return m;
  isl::map joined = m.coalesce();
  return isl_map_n_basic_map(joined.get()) < isl_map_n_basic_map(m.get()) ? joined : m;
}

isl::union_map inFewerPieces(const isl::union_map &u) {
  isl::union_map all(u.ctx(), "{ }");
  for (const isl::map &m : mapsOf(u))
    all = all.unite(isl::union_map(inFewerPieces(m)));
  return all;
}

} // namespace nw
