// Farkas' lemma through isl's coefficients of a set.
#include "poly/row_conditions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/mat.h>
#include <sstream>

namespace nw {

namespace {

constexpr long kLargest = 1L << 40; // so that sums of a few cannot overflow

void addRows(const isl::basic_set &cone, bool equalities, int parameters, int iterators,
             std::vector<LinearConstraint> &out) {
  auto read = equalities ? isl_basic_set_equalities_matrix : isl_basic_set_inequalities_matrix;
  std::unique_ptr<isl_mat, isl_mat *(*)(isl_mat *)> owner(
      read(cone.get(), isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div), isl_mat_free);
  isl_mat *matrix = owner.get();
  for (int row = 0; row < isl_mat_rows(matrix); row++) {
    LinearConstraint c;
    c.isEquality = equalities;
    // Columns: isl's constant (always 0: it is a cone), the function's constant, its parameters,
    // its iterators.
    for (int k = 0; k <= iterators; k++) {
      int column = k == 0 ? 1 : 1 + parameters + k;
      std::optional<long> factor =
          longOf(isl::manage(isl_mat_get_element_val(matrix, row, column)));
      if (!factor || std::abs(*factor) > kLargest)
        c.constant = -1; // no machine's number: 0 >= 1, no schedule
      c.factors.push_back(factor && c.constant == 0 ? *factor : 0);
    }
    if (c.constant)
      std::fill(c.factors.begin(), c.factors.end(), 0);
    if (c.constant ||
        std::any_of(c.factors.begin(), c.factors.end(), [](int64_t f) { return f != 0; }))
      out.push_back(c);
  }
}

LinearExpr sum(const LinearExpr &a, const LinearExpr &b, int64_t factor) {
  LinearExpr out = a;
  out.factors.resize(std::max(a.factors.size(), b.factors.size()), 0);
  for (size_t k = 0; k < b.factors.size(); k++)
    out.factors[k] += factor * b.factors[k];
  out.number += factor * b.number;
  return out;
}

} // namespace

FarkasCone::FarkasCone(const isl::map &relation, IntegerProgram &program) {
  sources = isl_map_dim(relation.get(), isl_dim_in);
  targets = isl_map_dim(relation.get(), isl_dim_out);
  int parameters = isl_map_dim(relation.get(), isl_dim_param);
  std::ostringstream text; // the way from one context to another
  text << relation;
  bool isDone = program.within([&](isl::ctx ctx) {
    isl::map copy(ctx, text.str());
    isl::set pairs =
        isl::manage(isl_set_remove_divs(isl_set_flatten(isl_map_wrap(copy.release()))));
    isl::basic_set cone = isl::manage(isl_set_coefficients(pairs.release()));
    for (int k = 0; k < parameters; k++) // they have no part in rows
      cone = isl::manage(isl_basic_set_fix_si(cone.release(), isl_dim_set, unsigned(1 + k), 0));
    addRows(cone, true, parameters, sources + targets, rows);
    addRows(cone, false, parameters, sources + targets, rows);
  });
  if (!isDone)
    rows = {{IntegerRow(size_t(1 + sources + targets), 0), -1, false}};
}

void FarkasCone::requireNonNegative(const PairFunction &f,
                                    std::vector<LinearConstraint> &out) const {
  for (const LinearConstraint &row : rows) {
    LinearExpr left;
    left = sum(left, f.constant, row.factors[0]);
    for (int k = 0; k < sources; k++)
      left = sum(left, f.source[size_t(k)], row.factors[size_t(1 + k)]);
    for (int k = 0; k < targets; k++)
      left = sum(left, f.target[size_t(k)], row.factors[size_t(1 + sources + k)]);
    out.push_back({left.factors, left.number + row.constant, row.isEquality});
  }
}

void FarkasCone::requireZero(const PairFunction &f, std::vector<LinearConstraint> &out) const {
  PairFunction negative = f;
  negative.constant = sum({}, f.constant, -1);
  for (LinearExpr &linear : negative.source)
    linear = sum({}, linear, -1);
  for (LinearExpr &linear : negative.target)
    linear = sum({}, linear, -1);
  requireNonNegative(f, out);
  requireNonNegative(negative, out);
}

isl::map asMap(const isl::set &domain, const std::vector<ScheduleRow> &rows) {
  std::string in, out;
  for (int k = 0; k < dimsOf(domain); k++)
    in += fmt::format("{}c{}", k ? ", " : "", k);
  for (size_t r = 0; r < rows.size(); r++) {
    out += fmt::format("{}{}", r ? ", " : "", rows[r].constant);
    for (size_t k = 0; k < rows[r].factors.size(); k++)
      out += fmt::format(" + {} * c{}", rows[r].factors[k], k);
  }
  isl::map map(domain.ctx(), fmt::format("{{ {}[{}] -> [{}] }}", tupleOf(domain), in, out));
  return map.intersect_domain(domain);
}

} // namespace nw
