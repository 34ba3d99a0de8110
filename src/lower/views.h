// Sets of instances seen from inside loops: the values of outer loops are parameters.
#pragma once
#include "poly/steps.h"

namespace nw {

// Instances of the step's statements for fixed outer loops; `context` is what is known of
// parameters and counters.
struct View {
  isl::union_set domain;
  isl::set context;
};

View viewOf(const Program &program, const std::vector<std::string> &statements);
View restrictTo(const View &view, const Program &program,
                const std::vector<std::string> &statements);
// Fixes a dimension of the schedule to the parameter `name`.
View fixed(const View &view, const Dimension &dimension, const std::string &name);
// All values that the dimensions take, as one set.
isl::set valuesOf(const View &view, const std::vector<Dimension> &dimensions);
// Smallest and largest value of a dimension of the set, over its parameters.
// The largest constant in a constraint on the set's dimensions, whatever its sign.
double largestConstant(const isl::set &values);
isl::pw_aff lowest(const isl::set &values, int position);
isl::pw_aff highest(const isl::set &values, int position);

} // namespace nw
