// Reads axes and rows off a step, with isl.
#include "plan/share_nest.h"
#include "ir/evaluate.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::share {

namespace {

// An axis before it is known whether it is one: the value for each statement.
struct Draft {
  std::string name;
  AxisKind kind;
  std::map<std::string, isl::map> values; // by statement; not those for which it is constant
};

bool isConstant(const isl::map &m) {
  isl::val fixed = isl::manage(isl_map_plain_get_val_if_fixed(m.get(), isl_dim_out, 0));
  return fixed.is_int();
}

Draft draftOf(const Dimension &d, AxisKind kind, const std::vector<std::string> &statements) {
  Draft draft{d.name, kind, {}};
  for (const isl::map &m : mapsOf(d.value))
    if (std::ranges::count(statements, inputTupleOf(m)))
      draft.values.emplace(inputTupleOf(m), m);
  return draft;
}

// The times inside a thread, one draft for each dimension in which they vary.
std::vector<Draft> timesOf(const Step &step) {
  std::vector<Draft> drafts;
  if (step.inside.is_null())
    return drafts;
  for (const isl::map &m : mapsOf(step.inside)) {
    int count = isl_map_dim(m.get(), isl_dim_out);
    for (int k = int(drafts.size()); k < count; k++)
      drafts.push_back({size_t(k) < step.insideNames.size() && !step.insideNames[k].empty() ? step.insideNames[k] : fmt::format("t{}", k), AxisKind::Inside, {}});
    for (int k = 0; k < count; k++) {
      isl_map *one = isl_map_project_out(m.copy(), isl_dim_out, unsigned(k + 1), unsigned(count - k - 1));
      isl::map value = isl::manage(isl_map_project_out(one, isl_dim_out, 0, unsigned(k)));
      if (!isConstant(value))
        drafts[k].values.emplace(inputTupleOf(m), value);
    }
  }
  std::erase_if(drafts, [](const Draft &d) { return d.values.empty(); });
  return drafts;
}

// The only piece, where there is one and it is affine without divisions.
std::optional<isl::aff> affineOf(const isl::pw_aff &value) {
  std::vector<isl::aff> pieces;
  value.coalesce().foreach_piece([&](isl::set, isl::multi_aff a) { pieces.push_back(a.at(0)); });
  if (pieces.size() != 1)
    return std::nullopt;
  const isl::aff &a = pieces[0];
  for (int k = 0; k < isl_aff_dim(a.get(), isl_dim_div); k++)
    if (isl_aff_involves_dims(a.get(), isl_dim_div, unsigned(k), 1))
      return std::nullopt;
  return a;
}

std::optional<long> coefficient(const isl::aff &a, isl_dim_type type, int k) { return longOf(isl::manage(isl_aff_get_coefficient_val(a.get(), type, k))); }

// The parameters' part and the constant; nothing where they are no integers.
bool readConstants(const isl::aff &a, Row &row) {
  for (int k = 0; k < isl_aff_dim(a.get(), isl_dim_param); k++) {
    std::optional<long> c = coefficient(a, isl_dim_param, k);
    if (!c)
      return false;
    if (*c)
      row.parameters[isl_aff_get_dim_name(a.get(), isl_dim_param, unsigned(k))] = *c;
  }
  std::optional<long> constant = longOf(isl::manage(isl_aff_get_constant_val(a.get())));
  row.constant = constant.value_or(0);
  return constant.has_value();
}

std::string textOf(const Row &row) {
  std::string out;
  auto add = [&](int64_t c, const std::string &name) {
    if (c == 0)
      return;
    std::string size = name.empty() ? std::to_string(std::abs(c)) : std::abs(c) == 1 ? name : fmt::format("{}*{}", std::abs(c), name);
    out += out.empty() ? (c < 0 ? "-" : "") + size : (c < 0 ? " - " : " + ") + size;
  };
  for (const auto &[name, c] : row.parameters)
    add(c, name);
  add(row.constant, "");
  return out.empty() ? "0" : out;
}

// The text of a value that depends on parameters only, plus `more`.
std::string parametricText(const isl::pw_aff &value, int64_t more) {
  std::optional<isl::aff> a = value.is_null() ? std::nullopt : affineOf(value);
  Row row;
  if (!a || !readConstants(*a, row))
    return "?";
  row.constant += more;
  return textOf(row);
}

Axis axisOf(const std::string &name, AxisKind kind, const isl::set &range) {
  Axis axis{name, kind, range.coalesce(), "?", "?", "?"};
  isl::pw_aff high = isl::manage(isl_set_dim_max(axis.range.copy(), 0)), low = isl::manage(isl_set_dim_min(axis.range.copy(), 0));
  if (high.is_null() || low.is_null())
    return axis;
  axis.low = parametricText(low, 0);
  axis.end = parametricText(high, 1);
  axis.extent = parametricText(high.sub(low), 1);
  return axis;
}

// Rows of axes -> element, where it is a function.
std::vector<Row> rowsOf(const isl::map &relation, const std::vector<bool> &axes) {
  if (!isl_map_is_single_valued(relation.get()))
    return {};
  isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(relation.copy()));
  std::vector<Row> rows;
  for (int r = 0; r < isl_map_dim(relation.get(), isl_dim_out); r++) {
    std::optional<isl::aff> a = affineOf(isl::manage(isl_pw_multi_aff_get_pw_aff(all.get(), r)));
    Row row;
    if (!a || !readConstants(*a, row))
      return {};
    int position = 0;
    for (bool has : axes) {
      std::optional<long> c = has ? coefficient(*a, isl_dim_in, position++) : 0;
      if (!c)
        return {};
      row.coefficients.push_back(*c);
    }
    rows.push_back(row);
  }
  return rows;
}

void addReferences(const Program &program, const std::string &name, const std::vector<Draft> &drafts, Nest &nest) {
  const Statement &s = *program.find(name);
  std::vector<bool> axes;
  isl::map place = isl::manage(isl_map_project_out(identityOn(s.domain).release(), isl_dim_out, 0, unsigned(dimsOf(s.domain))));
  place = isl::manage(isl_map_reset_tuple_id(place.release(), isl_dim_out));
  for (const Draft &d : drafts) {
    auto found = d.values.find(name);
    axes.push_back(found != d.values.end());
    if (axes.back())
      place = isl::manage(isl_map_flat_range_product(place.release(), found->second.copy()));
  }
  for (const Access &a : s.accesses) {
    const Array &array = program.arrays.at(a.array);
    if (array.kind != ArrayKind::Memory || array.isScalar())
      continue;
    Reference r{name, a.array, a.isWrite, false, axes, rowsOf(a.relation.apply_domain(place), axes)};
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
    auto at = std::ranges::find_if(nest.axes, [&](const Axis &a) { return a.kind == AxisKind::Parallel && a.name == name; });
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

Nest nestOf(const Program &program, const Step &step, const std::vector<Dimension> &outer, const std::vector<std::string> &threads) {
  std::vector<Draft> drafts;
  for (const Dimension &d : outer)
    drafts.push_back(draftOf(d, AxisKind::Outer, step.statements));
  for (const Dimension &d : step.parallel)
    drafts.push_back(draftOf(d, AxisKind::Parallel, step.statements));
  for (Draft &d : timesOf(step))
    drafts.push_back(std::move(d));
  Nest nest;
  std::erase_if(drafts, [](const Draft &d) { return d.values.empty(); });
  for (const Draft &d : drafts) {
    isl::set range;
    for (const auto &[name, value] : d.values) {
      isl::set one = unnamed(value.intersect_domain(program.find(name)->domain).range());
      range = range.is_null() ? one : range.unite(one);
    }
    nest.axes.push_back(axisOf(d.name, d.kind, range));
  }
  for (const std::string &name : step.statements)
    addReferences(program, name, drafts, nest);
  nest.threads = threadsOf(nest, threads);
  return nest;
}

std::optional<int64_t> extentOf(const Axis &axis, const Sizes &sizes, int64_t assumed) {
  isl_set *fixed = axis.range.copy();
  for (const std::string &name : paramNames(axis.range.get_space())) {
    auto given = sizes.find(name);
    isl_val *value = isl_val_int_from_si(isl_set_get_ctx(fixed), given != sizes.end() ? given->second : assumed);
    fixed = isl_set_fix_val(fixed, isl_dim_param, unsigned(isl_set_find_dim_by_name(fixed, isl_dim_param, name.c_str())), value);
  }
  isl::set values = isl::manage(fixed);
  if (values.is_empty())
    return 0;
  if (!isBoundedDim(values, 0, true) || !isBoundedDim(values, 0, false))
    return std::nullopt;
  auto end = [](const isl::set &point) {
    isl::val v = isl::manage(isl_point_get_coordinate_val(isl::manage(isl_set_sample_point(point.copy())).get(), isl_dim_set, 0));
    return longOf(v);
  };
  std::optional<long> high = end(values.lexmax()), low = end(values.lexmin());
  return high && low ? std::optional<int64_t>(*high - *low + 1) : std::nullopt;
}

std::optional<int64_t> strideBytes(const Program &program, const Reference &r, size_t axis, const Sizes &sizes, int64_t assumed) {
  if (!r.isRegular)
    return std::nullopt;
  const Array &array = program.arrays.at(r.array);
  // Extents of the subscripts, from the last: scalars of a struct, then the inner extents of the array.
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
