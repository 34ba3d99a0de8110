// Movement along one dimension, by pairs of instances.
#include "poly/movement.h"

namespace nw {

std::optional<std::vector<int64_t>> movement(const Statement &s, const Access &a, const Step &step,
                                             size_t dimension) {
  isl::map shift;
  auto take = [&](const isl::map &pair) { shift = shift.is_null() ? pair : shift.intersect(pair); };
  for (size_t k = 0; k < step.parallel.size(); k++)
    for (const isl::map &m : mapsOf(step.parallel[k].value))
      if (inputTupleOf(m) == s.name)
        take(m.apply_range(isl::map(m.ctx(), k == dimension ? "{ [a] -> [b] : b = a + 1 }"
                                                            : "{ [a] -> [b] : b = a }"))
                 .apply_range(m.reverse()));
  for (const Dimension &d : step.around)
    for (const isl::map &m : mapsOf(d.value))
      if (inputTupleOf(m) == s.name)
        take(m.apply_range(m.reverse()));
  for (const isl::map &m : mapsOf(step.inside))
    if (inputTupleOf(m) == s.name) {
      int dims = int(isl_map_dim(m.get(), isl_dim_out));
      isl::map same = isl::manage(
          isl_map_identity(isl_space_map_from_set(isl_space_range(isl_map_get_space(m.get())))));
      if (dimension >= step.parallel.size()) {
        int at = int(dimension - step.parallel.size());
        if (at >= dims)
          return std::nullopt;
        isl_multi_aff *move = isl_multi_aff_identity(
            isl_space_map_from_set(isl_space_range(isl_map_get_space(m.get()))));
        isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(move, at), 1);
        same = isl::manage(isl_map_from_multi_aff(isl_multi_aff_set_aff(move, at, moved)));
      }
      take(m.apply_range(same).apply_range(m.reverse()));
    }
  if (shift.is_null())
    return std::nullopt;
  isl::set deltas = shift.apply_domain(a.relation).apply_range(a.relation).deltas();
  std::vector<int64_t> all;
  for (int k = 0; k < dimsOf(deltas); k++) {
    std::optional<long> d =
        longOf(isl::manage(isl_set_plain_get_val_if_fixed(deltas.get(), isl_dim_set, k)));
    if (!d)
      return std::nullopt;
    all.push_back(*d);
  }
  return all;
}

} // namespace nw
