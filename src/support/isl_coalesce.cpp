// isl 0.25 merges some sets into one that is too large: { [i] : 0 <= i <= 1 } and { [i] : i mod 3 =
// 0 } become { [i] : i mod 3 <= 1 }. All of isl comes by isl_map_coalesce, which a program may
// define in place of the library's: this one keeps the parts where the merged set is not the same.
// Only sets with integer divisions are concerned.
#include <dlfcn.h>
#include <isl/map.h>

namespace {

using Coalesce = isl_map *(*)(isl_map *);

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

extern "C" isl_map *isl_map_coalesce(isl_map *map) {
  static const Coalesce ofLibrary =
      reinterpret_cast<Coalesce>(dlsym(RTLD_NEXT, "isl_map_coalesce"));
  if (!map || !ofLibrary || isl_map_n_basic_map(map) < 2)
    return ofLibrary ? ofLibrary(map) : map;
  isl_map *merged = ofLibrary(isl_map_copy(map));
  bool isDoubtful = merged && isl_map_n_basic_map(merged) < isl_map_n_basic_map(map) &&
                    (hasDivisions(map) || hasDivisions(merged));
  if (isDoubtful && isl_map_is_subset(merged, map) != isl_bool_true) {
    isl_map_free(merged);
    return map;
  }
  isl_map_free(map);
  return merged;
}
