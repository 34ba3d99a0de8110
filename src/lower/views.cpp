// Views of instances.
#include "lower/views.h"
#include <algorithm>
#include <cmath>
#include <isl/constraint.h>

namespace nw {

View viewOf(const Program &p, const std::vector<std::string> &statements) {
  View v{isl::union_set(p.isl->get(), "{ }"), p.context.intersect(p.assumptions)};
  for (const Statement &s : p.statements)
    if (std::count(statements.begin(), statements.end(), s.name))
      v.domain = v.domain.unite(isl::union_set(s.domain));
  return v;
}

View restrictTo(const View &view, const Program &p, const std::vector<std::string> &statements) {
  View v = view;
  v.domain = view.domain.intersect(viewOf(p, statements).domain);
  return v;
}

View fixed(const View &view, const Dimension &dimension, const std::string &name) {
  isl::set line = equateToParam(isl::set::universe(anonymousSpace(view.domain.ctx(), 1)), 0, name);
  View v = view;
  isl::union_map values =
      dimension.value.intersect_domain(view.domain).intersect_range(isl::union_set(line));
  v.domain = values.domain();
  return v;
}

isl::set valuesOf(const View &view, const std::vector<Dimension> &dimensions) {
  isl::set all;
  for (const isl::set &s : setsOf(view.domain)) {
    isl::map product = isl::manage(isl_map_from_domain_and_range(
        s.copy(), isl_set_universe(anonymousSpace(s.ctx(), 0).release())));
    for (const Dimension &d : dimensions)
      for (const isl::map &m : mapsOf(d.value))
        if (inputTupleOf(m) == tupleOf(s))
          product = isl::manage(isl_map_flat_range_product(product.release(), m.copy()));
    isl::set values = product.range();
    all = all.is_null() ? values : all.unite(values);
  }
  if (all.is_null())
    return isl::set::empty(anonymousSpace(view.domain.ctx(), int(dimensions.size())));
  return all.intersect_params(view.context).coalesce();
}

// The bounds over a union are found piece by piece; the plain hull would lose exactness, lexmin of
// a union time.
double largestConstant(const isl::set &values) {
  double largest = 0;
  for (const isl::basic_set &piece : piecesOf(values))
    isl_basic_set_foreach_constraint(
        piece.get(),
        [](isl_constraint *c, void *user) {
          if (isl_constraint_involves_dims(c, isl_dim_set, 0,
                                           unsigned(isl_constraint_dim(c, isl_dim_set)))) {
            isl_val *constant = isl_constraint_get_constant_val(c);
            auto &largest = *static_cast<double *>(user);
            largest = std::max(largest, std::fabs(isl_val_get_d(constant)));
            isl_val_free(constant);
          }
          isl_constraint_free(c);
          return isl_stat_ok;
        },
        &largest);
  return largest;
}

isl::pw_aff lowest(const isl::set &values, int position) {
  return isl::manage(isl_pw_aff_coalesce(isl_set_dim_min(values.copy(), position)));
}
isl::pw_aff highest(const isl::set &values, int position) {
  return isl::manage(isl_pw_aff_coalesce(isl_set_dim_max(values.copy(), position)));
}

} // namespace nw
