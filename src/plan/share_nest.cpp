// Reads axes and rows off a step, with isl.
#include "plan/share_nest.h"
#include "ir/evaluate.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::share {

namespace {

std::string textOf(const Row &row) {
  std::string out;
  auto add = [&](int64_t c, const std::string &name) {
    if (c == 0)
      return;
    std::string size = name.empty()       ? std::to_string(std::abs(c))
                       : std::abs(c) == 1 ? name
                                          : fmt::format("{}*{}", std::abs(c), name);
    out += out.empty() ? (c < 0 ? "-" : "") + size : (c < 0 ? " - " : " + ") + size;
  };
  for (const auto &[name, c] : row.rest.factors)
    add(c, name);
  add(row.rest.constant, "");
  return out.empty() ? "0" : out;
}

// The text of a value that depends on parameters only, plus `more`.
std::string parametricText(const isl::pw_aff &value, int64_t more) {
  std::optional<AffineRow> row =
      value.is_null()
          ? std::nullopt
          : affineRow(isl::manage(isl_map_from_range(isl_set_from_pw_aff(value.copy()))), 0);
  if (!row)
    return "?";
  row->rest.constant += more;
  return textOf(*row);
}

Axis axisOf(const std::string &name, AxisKind kind, const isl::set &range) {
  Axis axis{name, kind, range.coalesce(), "?", "?", "?"};
  isl::pw_aff high = isl::manage(isl_set_dim_max(axis.range.copy(), 0)),
              low = isl::manage(isl_set_dim_min(axis.range.copy(), 0));
  if (high.is_null() || low.is_null())
    return axis;
  axis.low = parametricText(low, 0);
  axis.end = parametricText(high, 1);
  axis.extent = parametricText(high.sub(low), 1);
  return axis;
}

// Rows of axes -> element, where they are affine, with a 0 for each axis that the statement does
// not have.
std::vector<Row> rowsOf(const isl::map &relation, const std::vector<bool> &axes) {
  std::vector<Row> rows = affineRows(relation).value_or(std::vector<Row>{});
  for (Row &row : rows)
    for (size_t k = 0; k < axes.size(); k++)
      if (!axes[k])
        row.coefficients.insert(row.coefficients.begin() + long(k), 0);
  return rows;
}

void addReferences(const Program &program, const std::string &name,
                   const std::vector<StepAxis> &axes, Nest &nest) {
  const Statement &s = *program.find(name);
  StepPosition position = positionOf(s, axes);
  for (const Access &a : s.accesses) {
    const Array &array = program.arrays.at(a.array);
    if (array.kind != ArrayKind::Memory || array.isScalar())
      continue;
    Reference r{name,          a.array,
                a.isWrite,     false,
                position.axes, rowsOf(a.relation.apply_domain(position.relation), position.axes)};
    r.isRegular = !r.rows.empty();
    nest.references.push_back(r);
  }
}

std::vector<size_t> threadsOf(const Nest &nest, const std::vector<std::string> &names) {
  std::vector<size_t> found;
  if (names.empty()) {
    for (size_t k = nest.axes.size(); k-- > 0;)
      if (nest.axes[k].kind == AxisKind::Parallel && found.size() < 3)
        found.push_back(k);
    return found;
  }
  for (const std::string &name : names) {
    auto at = std::ranges::find_if(
        nest.axes, [&](const Axis &a) { return a.kind == AxisKind::Parallel && a.name == name; });
    if (at == nest.axes.end())
      throw InternalError{fmt::format("share: no parallel axis '{}'", name)};
    if (found.size() < 3)
      found.push_back(size_t(at - nest.axes.begin()));
  }
  return found;
}

std::optional<int64_t> sizeOf(const ExprP &e, const Sizes &sizes, int64_t assumed) {
  if (!e)
    return std::nullopt;
  Sizes all = sizes;
  walk(e, [&](const ExprP &part) {
    if (part->kind == ExprKind::Var)
      all.try_emplace(part->name, assumed);
    return true;
  });
  return evaluate(e, all);
}

} // namespace

Nest nestOf(const Program &program, const Step &step, const std::vector<Dimension> &outer,
            const std::vector<std::string> &threads) {
  Nest nest;
  std::vector<StepAxis> axes = stepAxes(step, outer);
  for (const StepAxis &axis : axes)
    nest.axes.push_back(axisOf(axis.name, axis.kind, rangeOf(axis, program)));
  for (const std::string &name : step.statements)
    addReferences(program, name, axes, nest);
  nest.threads = threadsOf(nest, threads);
  return nest;
}

std::optional<int64_t> extentOf(const Axis &axis, const Sizes &sizes, int64_t assumed) {
  isl_set *fixed = axis.range.copy();
  for (const std::string &name : paramNames(axis.range.get_space())) {
    auto given = sizes.find(name);
    isl_val *value =
        isl_val_int_from_si(isl_set_get_ctx(fixed), given != sizes.end() ? given->second : assumed);
    fixed = isl_set_fix_val(fixed, isl_dim_param,
                            unsigned(isl_set_find_dim_by_name(fixed, isl_dim_param, name.c_str())),
                            value);
  }
  isl::set values = isl::manage(fixed);
  if (values.is_empty())
    return 0;
  if (!isBoundedDim(values, 0, true) || !isBoundedDim(values, 0, false))
    return std::nullopt;
  auto end = [](const isl::set &point) {
    isl::val v = isl::manage(isl_point_get_coordinate_val(
        isl::manage(isl_set_sample_point(point.copy())).get(), isl_dim_set, 0));
    return longOf(v);
  };
  std::optional<long> high = end(values.lexmax()), low = end(values.lexmin());
  return high && low ? std::optional<int64_t>(*high - *low + 1) : std::nullopt;
}

std::optional<int64_t> strideBytes(const Program &program, const Reference &r, size_t axis,
                                   const Sizes &sizes, int64_t assumed) {
  if (!r.isRegular)
    return std::nullopt;
  const Array &array = program.arrays.at(r.array);
  // Extents of the subscripts, from the last: scalars of a struct, then the inner extents of the
  // array.
  std::vector<std::optional<int64_t>> inner;
  if (array.slots > 0)
    inner.push_back(array.slots);
  const std::vector<ExprP> &extents = array.flatSizes.empty() ? array.extents : array.flatSizes;
  for (size_t k = extents.size(); k-- > 0;)
    inner.push_back(sizeOf(extents[k], sizes, assumed));
  int64_t stride = 0, weight = array.elementBytes;
  if (array.slots > 0)
    weight = std::max<int64_t>(1, array.elementBytes / array.slots);
  for (size_t k = r.rows.size(), from = 0; k-- > 0; from++) {
    int64_t c = r.rows[k].coefficients[axis];
    if (c != 0 && weight == 0)
      return std::nullopt;
    if (__builtin_mul_overflow(c, weight, &c) || __builtin_add_overflow(stride, c, &stride))
      return std::nullopt;
    std::optional<int64_t> extent = from < inner.size() ? inner[from] : std::nullopt;
    if (!extent || __builtin_mul_overflow(weight, *extent, &weight))
      weight = 0; // not known from here on
  }
  return stride;
}

} // namespace nw::share
