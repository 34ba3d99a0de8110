// Access matrices from isl's relations.
#include "analysis/access_matrix.h"
#include <algorithm>
#include <cstdlib>

namespace nw {

bool AccessMatrix::isRandom() const {
  for (const auto &row : rows)
    if (std::any_of(row.begin(), row.end(), [](const Coefficient &c) { return c.isRandom; }))
      return true;
  return false;
}

static int countOf(const isl::map &m, isl_dim_type type) { return isl_map_dim(m.get(), type); }

// The relation to subscript `k` alone.
static isl::map rowOf(const isl::map &relation, int k) {
  isl_map *row = relation.copy();
  row = isl_map_project_out(row, isl_dim_out, k + 1, isl_map_dim(row, isl_dim_out) - k - 1);
  row = isl_map_project_out(row, isl_dim_out, 0, k);
  return isl::manage(row);
}

// The one affine function, free of divisions, that gives the subscript everywhere; nothing where there is none.
static std::optional<isl::aff> affineOf(const isl::map &row) {
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
    if (!isl_val_is_zero(isl::manage(isl_aff_get_coefficient_val(only->get(), isl_dim_div, d)).get()))
      return std::nullopt;
  return only;
}

// Numbers too large for a machine's are as good as random: no neighbour is near.
static Coefficient coefficientOf(const isl::aff &f, int dimension, int64_t step) {
  auto value = longOf(isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_in, dimension)));
  long scaled = 0;
  if (!value || __builtin_mul_overflow(*value, long(std::llabs(step)), &scaled))
    return {0, true};
  return {scaled, false};
}

static MatrixOffset offsetOf(const isl::aff &f) {
  MatrixOffset o;
  o.constant = longOf(isl::manage(isl_aff_get_constant_val(f.get()))).value_or(0);
  for (int p = 0; p < isl_aff_dim(f.get(), isl_dim_param); p++)
    if (long c = longOf(isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_param, p))).value_or(0))
      o.parameters.emplace_back(isl_aff_get_dim_name(f.get(), isl_dim_param, p), c);
  return o;
}

AccessMatrix accessMatrix(const isl::map &given, std::vector<MatrixColumn> columns, const std::vector<int64_t> &steps) {
  AccessMatrix m;
  isl::set domain = given.domain();
  isl::map relation = given.gist_domain(domain);
  size_t loops = columns.size();
  bool isData = false;
  m.columns = std::move(columns);
  for (int k = 0; k < countOf(relation, isl_dim_out); k++) {
    isl::map row = rowOf(relation, k), whole = rowOf(given, k);
    std::vector<Coefficient> entries(loops);
    MatrixOffset offset;
    bool isDetermined = whole.is_single_valued();
    auto value = isDetermined ? affineOf(row) : std::nullopt;
    for (size_t d = 0; d < loops; d++)
      if (value)
        entries[d] = coefficientOf(*value, int(d), d < steps.size() ? steps[d] : 1);
      else if (isDetermined)
        entries[d].isRandom = isl_map_involves_dims(row.get(), isl_dim_in, unsigned(d), 1);
    if (value)
      offset = offsetOf(*value);
    entries.push_back({0, !isDetermined});
    isData |= !isDetermined;
    m.rows.push_back(std::move(entries));
    m.offset.push_back(std::move(offset));
  }
  if (isData)
    m.columns.push_back({-1, "data", std::nullopt});
  for (auto &row : m.rows)
    row.resize(m.columns.size());
  return m;
}

// The values of dimension `k` of the set, from the least to the greatest, whatever the parameters; nothing where they set
// no limit.
static std::optional<int64_t> rangeOf(const isl::set &set, int k) {
  isl_set *one = isl_set_project_out(set.copy(), isl_dim_set, k + 1, dimsOf(set) - k - 1);
  one = isl_set_project_out(one, isl_dim_set, 0, k);
  isl::set line = isl::manage(isl_set_project_out(one, isl_dim_param, 0, isl_set_dim(one, isl_dim_param)));
  if (line.is_empty() || !isBoundedDim(line, 0, true) || !isBoundedDim(line, 0, false))
    return std::nullopt;
  auto low = longOf(isl::manage(isl_set_dim_min_val(line.copy(), 0))), high = longOf(isl::manage(isl_set_dim_max_val(line.copy(), 0)));
  int64_t range = 0;
  if (!low || !high || __builtin_sub_overflow(*high, *low, &range) || __builtin_add_overflow(range, 1, &range))
    return std::nullopt;
  return range;
}

// An array of structs has the scalars of a struct as last subscript; of structs with a single one, that says nothing.
static isl::map withoutLoneSlot(const isl::map &relation, const Array &array) {
  if (array.slots != 1)
    return relation;
  return isl::manage(isl_map_project_out(relation.copy(), isl_dim_out, countOf(relation, isl_dim_out) - 1, 1));
}

std::vector<MatrixReference> matrixReferences(const Program &program) {
  std::vector<MatrixReference> references;
  for (const Statement &s : program.statements) {
    std::vector<MatrixColumn> columns;
    std::vector<int64_t> steps;
    for (size_t d = 0; d < s.loops.size(); d++) {
      const SourceLoop &loop = program.loop(s.loops[d]);
      int64_t step = std::max<int64_t>(std::llabs(loop.step), 1);
      auto range = rangeOf(s.domain, int(d));
      columns.push_back({loop.id, loop.counter, range ? std::optional((*range - 1) / step + 1) : std::nullopt});
      steps.push_back(step);
    }
    for (const Access &a : s.accesses) {
      const Array &array = program.arrays.at(a.array);
      if (array.kind == ArrayKind::Memory && !array.isScalar())
        references.push_back({s.name, a.array, a.isWrite, accessMatrix(withoutLoneSlot(a.relation, array), columns, steps)});
    }
  }
  return references;
}

} // namespace nw
