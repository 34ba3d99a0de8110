// Order of places, coordinate by coordinate.
#include "verify/checks/place_order.h"

namespace nw {

isl::map asFunction(const isl::map &relation) {
  isl::map hull = isl::manage(isl_map_from_basic_map(isl_map_affine_hull(relation.copy())));
  return isl_map_is_single_valued(hull.get()) ? hull : relation;
}

const isl::map &coordinateOf(const Place &place, size_t k) {
  auto found = place.functions.find(k);
  if (found == place.functions.end())
    found =
        place.functions
            .emplace(k, asFunction(relationTo(place, {place.coordinates[k].value}, place.executed)))
            .first;
  return found->second;
}

const isl::set &instancesOf(const Place &place) {
  if (place.instances.is_null()) {
    place.instances = relationTo(place, {}, place.executed).domain().coalesce();
    place.parameters = onlyParams(place.instances).coalesce();
  }
  return place.instances;
}

bool mayMeet(const Place &a, const Place &b) {
  instancesOf(a);
  instancesOf(b);
  return !isl_set_is_disjoint(a.parameters.get(), b.parameters.get());
}

// All instances of the statement, executed or not.
static isl::set anyInstance(const Place &place) {
  isl_space *space =
      isl_space_set_alloc(place.executed.ctx().get(), 0, unsigned(place.values.size()));
  return isl::manage(
      isl_set_universe(isl_space_set_tuple_name(space, isl_dim_set, place.statement.c_str())));
}

isl::map inOrder(const Place &a, const Place &b, bool exactly) {
  isl::ctx ctx = a.executed.ctx();
  isl::map smaller(ctx, "{ [a] -> [b] : a < b }"), same(ctx, "{ [a] -> [b] : a = b }");
  isl::set first = exactly ? instancesOf(a) : anyInstance(a),
           second = exactly ? instancesOf(b) : anyInstance(b);
  isl::map rest = isl::manage(isl_map_from_domain_and_range(first.release(), second.release()));
  isl::map all = rest.subtract(rest);
  for (size_t k = 0; k < std::min(a.coordinates.size(), b.coordinates.size()) && !rest.is_empty();
       k++) {
    const Coordinate &x = a.coordinates[k], &y = b.coordinates[k];
    if (x.kind != y.kind || x.site != y.site)
      break;
    isl::map u = coordinateOf(a, k), v = coordinateOf(b, k).reverse();
    if (x.kind != Coordinate::Thread)
      all = all.unite(rest.intersect(u.apply_range(smaller).apply_range(v)));
    rest = rest.intersect(u.apply_range(same).apply_range(v));
  }
  return all;
}

} // namespace nw
