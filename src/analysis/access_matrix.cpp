// Access matrices from isl's relations.
#include "analysis/access_matrix.h"
#include "analysis/affine_row.h"
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

// Numbers too large for a machine's are as good as random: no neighbour is near.
static Coefficient scaled(int64_t value, int64_t step) {
  long product = 0;
  if (__builtin_mul_overflow(value, std::llabs(step), &product))
    return {0, true};
  return {product, false};
}

AccessMatrix accessMatrix(const isl::map &relation, std::vector<MatrixColumn> columns,
                          const std::vector<int64_t> &steps) {
  AccessMatrix m;
  size_t loops = columns.size();
  bool isData = false;
  m.columns = std::move(columns);
  for (int k = 0; k < countOf(relation, isl_dim_out); k++) {
    std::vector<Coefficient> entries(loops);
    MatrixOffset offset;
    isl::map plain = outputOf(relation.gist_domain(relation.domain()), k);
    bool isKnown = outputOf(relation, k).is_single_valued();
    std::optional<AffineRow> row = isKnown ? affineRow(relation, k) : std::nullopt;
    for (size_t d = 0; d < loops; d++)
      if (row)
        entries[d] = scaled(row->coefficients[d], d < steps.size() ? steps[d] : 1);
      else if (isKnown)
        entries[d].isRandom = isl_map_involves_dims(plain.get(), isl_dim_in, unsigned(d), 1);
    if (row)
      offset = {row->rest.constant, {row->rest.factors.begin(), row->rest.factors.end()}};
    entries.push_back({0, !isKnown});
    isData |= !isKnown;
    m.rows.push_back(std::move(entries));
    m.offset.push_back(std::move(offset));
  }
  if (isData)
    m.columns.push_back({-1, "data", std::nullopt});
  for (auto &row : m.rows)
    row.resize(m.columns.size());
  return m;
}

// The values of dimension `k` of the set, from the least to the greatest, whatever the parameters;
// nothing where they set no limit.
static std::optional<int64_t> rangeOf(const isl::set &set, int k) {
  isl_set *one = isl_set_project_out(set.copy(), isl_dim_set, k + 1, dimsOf(set) - k - 1);
  one = isl_set_project_out(one, isl_dim_set, 0, k);
  isl::set line =
      isl::manage(isl_set_project_out(one, isl_dim_param, 0, isl_set_dim(one, isl_dim_param)));
  if (line.is_empty() || !isBoundedDim(line, 0, true) || !isBoundedDim(line, 0, false))
    return std::nullopt;
  auto low = longOf(isl::manage(isl_set_dim_min_val(line.copy(), 0))),
       high = longOf(isl::manage(isl_set_dim_max_val(line.copy(), 0)));
  int64_t range = 0;
  if (!low || !high || __builtin_sub_overflow(*high, *low, &range) ||
      __builtin_add_overflow(range, 1, &range))
    return std::nullopt;
  return range;
}

// An array of structs has the scalars of a struct as last subscript; of structs with a single one,
// that says nothing.
static isl::map withoutLoneSlot(const isl::map &relation, const Array &array) {
  if (array.slots != 1)
    return relation;
  return isl::manage(
      isl_map_project_out(relation.copy(), isl_dim_out, countOf(relation, isl_dim_out) - 1, 1));
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
      columns.push_back(
          {loop.id, loop.counter, range ? std::optional((*range - 1) / step + 1) : std::nullopt});
      steps.push_back(step);
    }
    for (const Access &a : s.accesses) {
      const Array &array = program.arrays.at(a.array);
      if (array.kind == ArrayKind::Memory && !array.isScalar())
        references.push_back({s.name, a.array, a.isWrite,
                              accessMatrix(withoutLoneSlot(a.relation, array), columns, steps)});
    }
  }
  return references;
}

} // namespace nw
