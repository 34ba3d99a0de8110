// Sums of multiples, read off isl's relations.
#include "analysis/affine_row.h"

namespace nw {

isl::map outputOf(const isl::map &relation, int k) {
  isl_map *row = relation.copy();
  row = isl_map_project_out(row, isl_dim_out, unsigned(k + 1),
                            unsigned(isl_map_dim(row, isl_dim_out) - k - 1));
  return isl::manage(isl_map_project_out(row, isl_dim_out, 0, unsigned(k)));
}

// The one function, free of divisions, that gives the output everywhere; nothing where there is
// none.
static std::optional<isl::aff> functionOf(const isl::map &row) {
  isl::map hull = isl::manage(isl_map_from_basic_map(isl_map_affine_hull(row.copy())));
  if (!hull.is_single_valued())
    return std::nullopt;
  isl::pw_multi_aff value = isl::manage(isl_pw_multi_aff_from_map(hull.copy()));
  std::optional<isl::aff> only;
  int pieces = 0;
  value.foreach_piece([&](isl::set, isl::multi_aff f) {
    pieces++;
    only = f.get_at(0);
  });
  if (pieces != 1 || !isl_val_is_one(isl::manage(isl_aff_get_denominator_val(only->get())).get()))
    return std::nullopt;
  for (int d = 0; d < isl_aff_dim(only->get(), isl_dim_div); d++)
    if (!isl_val_is_zero(
            isl::manage(isl_aff_get_coefficient_val(only->get(), isl_dim_div, d)).get()))
      return std::nullopt;
  return only;
}

static std::optional<long> coefficientOf(const isl::aff &f, isl_dim_type type, int k) {
  return longOf(isl::manage(isl_aff_get_coefficient_val(f.get(), type, k)));
}

std::optional<AffineRow> affineRow(const isl::map &relation, int k) {
  // What is always true of the domain could hide a coefficient: with i = j, A[i] would be A[j].
  isl::map row = outputOf(relation, k);
  if (!row.is_single_valued())
    return std::nullopt;
  std::optional<isl::aff> f = functionOf(outputOf(relation.gist_domain(relation.domain()), k));
  if (!f)
    return std::nullopt;
  AffineRow out;
  for (int d = 0; d < isl_aff_dim(f->get(), isl_dim_in); d++) {
    std::optional<long> value = coefficientOf(*f, isl_dim_in, d);
    if (!value)
      return std::nullopt;
    out.coefficients.push_back(*value);
  }
  for (int d = 0; d < isl_aff_dim(f->get(), isl_dim_param); d++) {
    std::optional<long> value = coefficientOf(*f, isl_dim_param, d);
    if (!value)
      return std::nullopt;
    if (*value)
      out.parameters[isl_aff_get_dim_name(f->get(), isl_dim_param, unsigned(d))] = *value;
  }
  std::optional<long> constant = longOf(isl::manage(isl_aff_get_constant_val(f->get())));
  if (!constant)
    return std::nullopt;
  out.constant = *constant;
  return out;
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
