// isl 0.25 merges some sets into one that is too large: { [i] : 0 <= i <= 1 } and { [i] : i mod 3 =
// 0 } become { [i] : i mod 3 <= 1 }. The linker puts these functions in place of isl's, for isl's
// own calls too (--wrap): they keep the parts where the merged set is not the same. Only sets with
// integer divisions are concerned.
#include <isl/map.h>
#include <isl/set.h>

namespace {

bool hasDivisions(isl_map *map) {
  bool found = false;
  isl_map_foreach_basic_map(
      map,
      [](isl_basic_map *part, void *user) {
        *static_cast<bool *>(user) |= isl_basic_map_dim(part, isl_dim_div) > 0;
        isl_basic_map_free(part);
        return isl_stat_ok;
      },
      &found);
  return found;
}

} // namespace

extern "C" {
isl_map *__real_isl_map_coalesce(isl_map *map);

isl_map *__wrap_isl_map_coalesce(isl_map *map) {
  if (!map || isl_map_n_basic_map(map) < 2)
    return __real_isl_map_coalesce(map);
  isl_map *merged = __real_isl_map_coalesce(isl_map_copy(map));
  bool isDoubtful = merged && isl_map_n_basic_map(merged) < isl_map_n_basic_map(map) &&
                    (hasDivisions(map) || hasDivisions(merged));
  if (isDoubtful && isl_map_is_subset(merged, map) != isl_bool_true) {
    isl_map_free(merged);
    return map;
  }
  isl_map_free(map);
  return merged;
}

// For isl, a set is a map without a domain.
isl_set *__wrap_isl_set_coalesce(isl_set *set) {
  return reinterpret_cast<isl_set *>(__wrap_isl_map_coalesce(reinterpret_cast<isl_map *>(set)));
}
}
