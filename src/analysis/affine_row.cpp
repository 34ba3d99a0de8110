// Sums of multiples, read off isl's relations.
#include "analysis/affine_row.h"

namespace nw {

isl::map outputOf(const isl::map &relation, int k) {
  isl_map *row = relation.copy();
  row = isl_map_project_out(row, isl_dim_out, unsigned(k + 1),
                            unsigned(isl_map_dim(row, isl_dim_out) - k - 1));
  return isl::manage(isl_map_project_out(row, isl_dim_out, 0, unsigned(k)));
}

std::optional<AffineRow> affineRow(const isl::map &relation, int k) {
  // What is always true of the domain could hide a coefficient: with i = j, A[i] would be A[j].
  if (!outputOf(relation, k).is_single_valued())
    return std::nullopt;
  isl::map row = outputOf(relation.gist_domain(relation.domain()), k);
  isl::map hull = isl::manage(isl_map_from_basic_map(isl_map_affine_hull(row.copy())));
  if (!hull.is_single_valued())
    return std::nullopt;
  isl::pw_multi_aff value = isl::manage(isl_pw_multi_aff_from_map(hull.copy()));
  std::optional<AffineRow> out;
  int pieces = 0;
  value.foreach_piece([&](isl::set, isl::multi_aff f) {
    pieces++;
    out = affineRowOf(f.get_at(0));
  });
  return pieces == 1 ? out : std::nullopt;
}

std::optional<std::vector<AffineRow>> affineRows(const isl::map &relation) {
  if (relation.is_empty())
    return std::nullopt;
  std::vector<AffineRow> rows;
  for (int k = 0; k < isl_map_dim(relation.get(), isl_dim_out); k++) {
    std::optional<AffineRow> row = affineRow(relation, k);
    if (!row)
      return std::nullopt;
    rows.push_back(*row);
  }
  return rows;
}

} // namespace nw
