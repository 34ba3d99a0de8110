// Sizes of arrays.
#include "analysis/array_bytes.h"

namespace nw {

// The first subscripts of all accesses, whatever the parameters; nothing where there is no access.
static std::optional<isl::set> rowsTouched(const Program &program, const std::string &array) {
  std::optional<isl::set> all;
  for (const Statement &s : program.statements)
    for (const Access &a : s.accesses) {
      if (a.array != array || a.relation.is_empty())
        continue;
      isl::set touched = a.relation.range();
      isl_set *rows =
          isl_set_project_out(touched.copy(), isl_dim_set, 1, unsigned(dimsOf(touched) - 1));
      isl::set plain = isl::manage(
          isl_set_project_out(rows, isl_dim_param, 0, isl_set_dim(rows, isl_dim_param)));
      all = all ? all->unite(plain) : plain;
    }
  return all;
}

std::optional<int64_t> constantBytesOf(const Program &program, const std::string &array) {
  const Array &shape = program.arrays.at(array);
  if (shape.kind != ArrayKind::Memory || shape.isScalar() || shape.extents.empty() ||
      !shape.flatSizes.empty())
    return std::nullopt;
  std::optional<isl::set> rows = rowsTouched(program, array);
  if (!rows || rows->is_empty() || !isBoundedDim(*rows, 0, true) || !isBoundedDim(*rows, 0, false))
    return std::nullopt;
  auto low = longOf(isl::manage(isl_set_dim_min_val(rows->copy(), 0))),
       high = longOf(isl::manage(isl_set_dim_max_val(rows->copy(), 0)));
  int64_t bytes = 0;
  if (!low || !high || *low < 0 || __builtin_add_overflow(*high, 1, &bytes) ||
      __builtin_mul_overflow(bytes, shape.elementBytes, &bytes))
    return std::nullopt;
  for (size_t k = 1; k < shape.extents.size(); k++)
    if (!shape.extents[k] || shape.extents[k]->kind != ExprKind::Int ||
        __builtin_mul_overflow(bytes, shape.extents[k]->integer, &bytes))
      return std::nullopt;
  return bytes;
}

} // namespace nw
