// Axes of steps, read off their relations.
#include "poly/step_axes.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

static bool isConstant(const isl::map &m) {
  isl::val fixed = isl::manage(isl_map_plain_get_val_if_fixed(m.get(), isl_dim_out, 0));
  return fixed.is_int();
}

static StepAxis axisOf(const Dimension &d, AxisKind kind,
                       const std::vector<std::string> &statements) {
  StepAxis axis{d.name, kind, {}};
  for (const isl::map &m : mapsOf(d.value))
    if (std::ranges::count(statements, inputTupleOf(m)))
      axis.values.emplace(inputTupleOf(m), m);
  return axis;
}

// The times inside a thread, one axis for each dimension in which they vary.
static std::vector<StepAxis> timesOf(const Step &step) {
  std::vector<StepAxis> axes;
  if (step.inside.is_null())
    return axes;
  for (const isl::map &m : mapsOf(step.inside)) {
    int count = isl_map_dim(m.get(), isl_dim_out);
    for (int k = int(axes.size()); k < count; k++)
      axes.push_back({size_t(k) < step.insideNames.size() && !step.insideNames[k].empty()
                          ? step.insideNames[k]
                          : fmt::format("t{}", k),
                      AxisKind::Inside,
                      {}});
    for (int k = 0; k < count; k++) {
      isl_map *one =
          isl_map_project_out(m.copy(), isl_dim_out, unsigned(k + 1), unsigned(count - k - 1));
      isl::map value = isl::manage(isl_map_project_out(one, isl_dim_out, 0, unsigned(k)));
      if (!isConstant(value))
        axes[k].values.emplace(inputTupleOf(m), value);
    }
  }
  return axes;
}

std::vector<StepAxis> stepAxes(const Step &step, const std::vector<Dimension> &outer) {
  std::vector<StepAxis> axes;
  for (const Dimension &d : outer)
    axes.push_back(axisOf(d, AxisKind::Outer, step.statements));
  for (const Dimension &d : step.parallel)
    axes.push_back(axisOf(d, AxisKind::Parallel, step.statements));
  for (StepAxis &axis : timesOf(step))
    axes.push_back(std::move(axis));
  std::erase_if(axes, [](const StepAxis &axis) { return axis.values.empty(); });
  return axes;
}

isl::set rangeOf(const StepAxis &axis, const Program &program) {
  Unset<isl::set> range;
  for (const auto &[name, value] : axis.values) {
    isl::set one = unnamed(value.intersect_domain(program.find(name)->domain).range());
    range = range.is_null() ? one : range.unite(one);
  }
  return range;
}

StepPosition positionOf(const Statement &statement, const std::vector<StepAxis> &axes) {
  isl::map position = isl::manage(isl_map_project_out(
      identityOn(statement.domain).release(), isl_dim_out, 0, unsigned(dimsOf(statement.domain))));
  position = isl::manage(isl_map_reset_tuple_id(position.release(), isl_dim_out));
  std::vector<bool> has;
  for (const StepAxis &axis : axes) {
    auto found = axis.values.find(statement.name);
    has.push_back(found != axis.values.end());
    if (has.back())
      position = isl::manage(isl_map_flat_range_product(position.release(), found->second.copy()));
  }
  return {has, position};
}

} // namespace nw
