// One value of a dimension for a block.
#include "lower/block_values.h"

namespace nw {

BlockValues
blockValues(const Step &step, const std::vector<size_t> &dimensions, const Box &box,
            const Type &type,
            const std::function<ExprP(const std::string &, const ExprP &)> &launchValue) {
  BlockValues made{{}, intConst(1)};
  ExprP rest = node(ExprKind::Builtin, {}, type, "block.z");
  for (size_t n = 0; n < dimensions.size(); n++) {
    size_t d = dimensions[n];
    const std::string &name = step.parallel[d].name;
    bool isLast = n + 1 == dimensions.size();
    ExprP count = isLast ? nullptr : launchValue(name + "_count", cast(box.count[d], type)),
          first = launchValue(name + "_first", box.first[d]),
          own = isLast ? rest : binary("%", rest, count, type);
    bool fromZero = first->kind == ExprKind::Int && first->integer == 0;
    made.declarations.push_back(
        declare(name, type, {}, {fromZero ? own : binary("+", first, own, type)}));
    if (!isLast)
      rest = binary("/", rest, count, type);
    ExprP values = cast(box.count[d], kI64);
    made.many = n == 0 ? values : binary("*", made.many, values, kI64);
  }
  return made;
}

static isl::set rangeOfVariable(const Step &step, const View &all, size_t dimension) {
  const std::string &name = step.parallel[dimension].name;
  return onlyParams(equateToParam(rangeOf(step, all, dimension), 0, name));
}

View withRanges(const Step &step, const std::vector<size_t> &dimensions, const View &view) {
  View out = view;
  for (size_t d : dimensions)
    out.context = out.context.intersect(rangeOfVariable(step, view, d));
  return out;
}

View withBlockValues(const Step &step, const std::vector<size_t> &dimensions, const View &view,
                     const View &all) {
  View out = view;
  for (size_t d : dimensions) {
    out = fixed(out, step.parallel[d], step.parallel[d].name);
    out.context = out.context.intersect(rangeOfVariable(step, all, d));
  }
  return out;
}

} // namespace nw
