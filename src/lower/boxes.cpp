// Boxes.
#include "lower/boxes.h"

namespace nw {

isl::set translated(const isl::set &values, int dimension, long by) {
  isl_multi_aff *move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(values.get()));
  isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(move, dimension), int(by));
  return isl::manage(isl_set_apply(
      values.copy(), isl_map_from_multi_aff(isl_multi_aff_set_aff(move, dimension, moved))));
}

isl::set hullOf(const isl::set &values) {
  return isl::manage(
      isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(values.copy()))));
}

// Whether the hull's bounds hold only because sizes are limited: they are far from the values then.
static bool isFarAway(const isl::set &hull, const isl::set &values) {
  return largestConstant(hull) > 2 * largestConstant(values) + 1024;
}

// The smallest convex set around, where that is simpler and still bounded: bounds become plain
// sums, and guards inside tell the rest.
static isl::set simplified(const isl::set &values) {
  isl::set hull = hullOf(values);
  for (int k = 0; k < dimsOf(hull); k++)
    if (!isBoundedDim(hull, k, true) || !isBoundedDim(hull, k, false))
      return values;
  return isFarAway(hull, values) ? values : hull;
}

isl::set loopValues(const Dimension &d, const View &view) {
  isl::set values = valuesOf(view, {d});
  isl_val *stride = isl_set_get_stride(values.get(), 0);
  bool dense = isl_val_is_one(stride);
  isl_val_free(stride);
  return isl_set_n_basic_set(values.get()) > 1 || dense ? simplified(values) : values;
}

ExprP difference(const ExprP &high, const ExprP &low) {
  if (high->kind == ExprKind::Int && low->kind == ExprKind::Int)
    return intConst(high->integer - low->integer + 1);
  if (low->kind == ExprKind::Int && low->integer == 0)
    return binary("+", cast(high, kI64), intConst(1), kI64);
  return binary("+", binary("-", cast(high, kI64), cast(low, kI64), kI64), intConst(1), kI64);
}

// Above this, a smallest or largest value says more of corners of the set than of its sides.
constexpr int kMostCases = 2;

// The smallest or the largest value of a dimension. Where that has many cases, bounds of the values
// along this dimension alone, which may be farther away: guards inside ask in any case, and both
// the kernel and its proof are short.
static isl::pw_aff extremeOf(const isl::set &values, int dimension, bool isLow) {
  auto extreme = [&](const isl::set &set, int k) {
    return isLow ? lowest(set, k) : highest(set, k);
  };
  isl::pw_aff exact = extreme(values, dimension);
  if (isl_pw_aff_n_piece(exact.get()) <= kMostCases)
    return exact;
  isl::set along = hullOf(
      projectOut(projectOut(values, dimension + 1, dimsOf(values) - dimension - 1), 0, dimension));
  if (!isBoundedDim(along, 0, !isLow) || isFarAway(along, values))
    return exact;
  isl::pw_aff rough = extreme(along, 0);
  return isl_pw_aff_n_piece(rough.get()) < isl_pw_aff_n_piece(exact.get()) ? rough : exact;
}

Box boxOf(const Step &s, const View &view, const AstReader &as, const Type &indexType) {
  Box b;
  isl::set exact = valuesOf(view, s.parallel), values = simplified(exact);
  if (values.is_empty()) {
    b.nonempty = intConst(0, indexType);
    b.first = std::vector<ExprP>(s.parallel.size(), intConst(0, indexType));
    b.count = std::vector<ExprP>(s.parallel.size(), intConst(0));
    b.last = std::vector<ExprP>(s.parallel.size(), intConst(-1, indexType));
    return b;
  }
  // Exactly: the second kernel of a reduction writes its element whenever it is launched.
  b.nonempty = as.condition(onlyParams(exact), view.context);
  for (size_t k = 0; k < s.parallel.size(); k++) {
    ExprP low = as.value(extremeOf(values, int(k), true), view.context),
          high = as.value(extremeOf(values, int(k), false), view.context);
    b.first.push_back(low);
    b.last.push_back(high);
    b.count.push_back(difference(high, low));
  }
  return b;
}

isl::set rangeOf(const Step &s, const View &view, size_t dimension) {
  isl::set box = simplified(valuesOf(view, s.parallel));
  int after = int(s.parallel.size() - dimension - 1);
  return hullOf(projectOut(projectOut(box, int(dimension) + 1, after), 0, int(dimension)));
}

} // namespace nw
