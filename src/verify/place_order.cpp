// Order of places, coordinate by coordinate.
#include "verify/place_order.h"

namespace nw {

isl::map asFunction(const isl::map &relation) {
  isl::map hull = isl::manage(isl_map_from_basic_map(isl_map_affine_hull(relation.copy())));
  return isl_map_is_single_valued(hull.get()) ? hull : relation;
}

isl::map inOrder(const Place &a, const Place &b) {
  isl::ctx ctx = a.executed.ctx();
  isl::map smaller(ctx, "{ [a] -> [b] : a < b }"), same(ctx, "{ [a] -> [b] : a = b }");
  isl::set first = relationTo(a, {}, a.executed).domain(), second = relationTo(b, {}, b.executed).domain();
  isl::map rest = isl::manage(isl_map_from_domain_and_range(first.release(), second.release()));
  isl::map all = rest.subtract(rest);
  for (size_t k = 0; k < std::min(a.coordinates.size(), b.coordinates.size()) && !rest.is_empty(); k++) {
    const Coordinate &x = a.coordinates[k], &y = b.coordinates[k];
    if (x.kind != y.kind || x.site != y.site)
      break;
    isl::map u = asFunction(relationTo(a, {x.value}, a.executed)), v = asFunction(relationTo(b, {y.value}, b.executed)).reverse();
    if (x.kind != Coordinate::Thread)
      all = all.unite(rest.intersect(u.apply_range(smaller).apply_range(v)));
    rest = rest.intersect(u.apply_range(same).apply_range(v));
  }
  return all;
}

} // namespace nw
