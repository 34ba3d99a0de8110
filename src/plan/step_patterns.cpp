// Patterns of steps.
#include "plan/step_patterns.h"
#include "analysis/array_bytes.h"
#include "poly/step_axes.h"
#include <algorithm>

namespace nw {

namespace {

// How many values an axis has at most, where that does not depend on a parameter; and the distance
// between them.
struct AxisExtent {
  std::optional<int64_t> iterations;
  int64_t stride = 1;
};

AxisExtent extentOf(const isl::set &range) {
  AxisExtent out;
  if (range.is_empty())
    return {0, 1};
  isl::val stride = isl::manage(isl_set_get_stride(range.get(), 0));
  out.stride = std::max<int64_t>(1, longOf(stride).value_or(1));
  isl::set line =
      isl::manage(isl_set_project_out(range.copy(), isl_dim_param, 0, unsigned(paramsOf(range))));
  if (!isBoundedDim(line, 0, true) || !isBoundedDim(line, 0, false))
    return out;
  auto low = longOf(isl::manage(isl_set_dim_min_val(line.copy(), 0))),
       high = longOf(isl::manage(isl_set_dim_max_val(line.copy(), 0)));
  int64_t length = 0;
  if (low && high && !__builtin_sub_overflow(*high, *low, &length))
    out.iterations = length / out.stride + 1;
  return out;
}

// Of structs with a single scalar, the subscript that says which scalar says nothing.
isl::map elementOf(const isl::map &relation, const Array &array) {
  if (array.slots != 1)
    return relation;
  return isl::manage(isl_map_project_out(
      relation.copy(), isl_dim_out, unsigned(isl_map_dim(relation.get(), isl_dim_out) - 1), 1));
}

ThreadMapping mappingOf(const std::vector<StepAxis> &axes, const std::vector<std::string> &grid) {
  ThreadMapping mapping;
  for (size_t k = 0; k < std::min(grid.size(), mapping.loops.size()); k++)
    for (size_t a = 0; a < axes.size(); a++)
      if (axes[a].kind == AxisKind::Parallel && axes[a].name == grid[k])
        mapping.loops[k] = int(a);
  return mapping;
}

void add(std::vector<ArrayPatterns> &arrays, const Program &program, AccessPattern pattern) {
  const std::string &name = pattern.reference.array;
  auto found = std::find_if(arrays.begin(), arrays.end(),
                            [&](const ArrayPatterns &a) { return a.array == name; });
  if (found == arrays.end())
    found = arrays.insert(
        arrays.end(),
        {name, {}, program.arrays.at(name).elementBytes, constantBytesOf(program, name)});
  found->references.push_back(std::move(pattern));
}

} // namespace

std::vector<ArrayPatterns> stepPatterns(const Program &program, const Step &step,
                                        const std::vector<Dimension> &outer,
                                        const std::vector<std::string> &grid) {
  std::vector<StepAxis> axes = stepAxes(step, outer);
  ThreadMapping mapping = mappingOf(axes, grid);
  std::vector<AxisExtent> extents;
  for (const StepAxis &axis : axes)
    extents.push_back(extentOf(rangeOf(axis, program)));
  std::vector<ArrayPatterns> arrays;
  for (const std::string &name : step.statements) {
    const Statement &s = *program.find(name);
    StepPosition position = positionOf(s, axes);
    std::vector<MatrixColumn> columns;
    std::vector<int64_t> strides;
    for (size_t a = 0; a < axes.size(); a++)
      if (position.axes[a]) {
        columns.push_back({int(a), axes[a].name, extents[a].iterations});
        strides.push_back(extents[a].stride);
      }
    for (const Access &a : s.accesses) {
      const Array &array = program.arrays.at(a.array);
      if (array.kind != ArrayKind::Memory || array.isScalar() || a.relation.is_empty())
        continue;
      isl::map relation = elementOf(a.relation, array).apply_domain(position.relation);
      add(arrays, program,
          patternOf({name, a.array, a.isWrite, accessMatrix(relation, columns, strides)}, mapping));
    }
  }
  return arrays;
}

static void collect(const Step &step, std::vector<Dimension> outer, std::vector<PlannedStep> &out) {
  if (step.kind == StepKind::Loop)
    outer.push_back(step.dimension);
  if (step.kind == StepKind::Loop || step.kind == StepKind::Sequence) {
    for (const Step &child : step.children)
      collect(child, outer, out);
    return;
  }
  out.push_back({&step, outer});
}

std::vector<PlannedStep> plannedSteps(const Step &root) {
  std::vector<PlannedStep> out;
  collect(root, {}, out);
  return out;
}

std::vector<KernelPatterns> kernelPatterns(const Program &program, const Schedule &schedule,
                                           const Plan &plan) {
  std::vector<KernelPatterns> out;
  std::vector<PlannedStep> steps = plannedSteps(schedule.root);
  for (size_t k = 0; k < plan.kernels.size() && k < steps.size(); k++)
    out.push_back({plan.kernels[k].name,
                   stepPatterns(program, *steps[k].step, steps[k].outer, plan.kernels[k].grid)});
  return out;
}

} // namespace nw
