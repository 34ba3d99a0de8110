// Order of positions, coordinate by coordinate.
#include "verify/checks/position_order.h"
#include "verify/readers/unknowns.h"
#include <isl/constraint.h>
#include <optional>

namespace nw {

// What the relation's equations alone say, where it is in one piece.
static std::optional<isl::map> equationsOf(const isl::map &relation) {
  if (isl_map_n_basic_map(relation.get()) != 1)
    return std::nullopt;
  isl_basic_map *equations = isl_basic_map_universe(isl_map_get_space(relation.get()));
  relation.foreach_basic_map([&](const isl::basic_map &piece) {
    isl_constraint_list *all = isl_basic_map_get_constraint_list(piece.get());
    for (int k = 0; k < isl_constraint_list_size(all); k++) {
      isl_constraint *c = isl_constraint_list_get_constraint(all, k);
      if (isl_constraint_is_equality(c) == isl_bool_true)
        equations = isl_basic_map_add_constraint(equations, c);
      else
        isl_constraint_free(c);
    }
    isl_constraint_list_free(all);
  });
  return isl::manage(isl_map_from_basic_map(equations));
}

isl::map asFunction(const isl::map &relation) {
  // Mostly, equations do; that inequalities imply others is found by many linear programs.
  if (std::optional<isl::map> equations = equationsOf(relation);
      equations && equations->is_single_valued())
    return *equations;
  isl::map hull = isl::manage(isl_map_from_basic_map(isl_map_affine_hull(relation.copy())));
  return hull.is_single_valued() ? hull : relation;
}

const isl::map &coordinateOf(const SchedulePosition &position, size_t k) {
  auto found = position.functions.find(k);
  if (found == position.functions.end())
    found = position.functions
                .emplace(k, asFunction(relationTo(position, {position.coordinates[k].value},
                                                  position.executed)))
                .first;
  return found->second;
}

const isl::set &instancesOf(const SchedulePosition &position) {
  if (position.instances.is_null())
    position.instances = relationTo(position, {}, position.executed).domain().coalesce();
  return position.instances;
}

// The sizes for which it executes instances at all.
static const isl::set &sizesOf(const SchedulePosition &position) {
  if (position.sizes.is_null())
    position.sizes = withoutUnknowns(position.executed).coalesce();
  return position.sizes;
}

bool mayMeet(const SchedulePosition &a, const SchedulePosition &b) {
  return !sizesOf(a).is_disjoint(sizesOf(b));
}

// All instances of the statement, executed or not.
static isl::set anyInstance(const SchedulePosition &position) {
  isl_space *space =
      isl_space_set_alloc(position.executed.ctx().get(), 0, unsigned(position.values.size()));
  return isl::manage(
      isl_set_universe(isl_space_set_tuple_name(space, isl_dim_set, position.statement.c_str())));
}

isl::map inOrder(const SchedulePosition &a, const SchedulePosition &b, bool exactly) {
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
      all = all.unite(meet(rest, u.apply_range(smaller).apply_range(v)));
    rest = meet(rest, u.apply_range(same).apply_range(v));
  }
  return all;
}

} // namespace nw
