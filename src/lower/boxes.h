// Boxes around the values of schedule dimensions: what loops of kernels run through and launches
// are sized by.
#pragma once
#include "lower/isl_ast.h"
#include "lower/views.h"

namespace nw {

// Smallest value and number of values of each parallel dimension.
struct Box {
  std::vector<ExprP> first, last, count;
  ExprP nonempty;
};

Box boxOf(const Step &s, const View &view, const AstReader &as, const Type &indexType);

// What is certain of a parallel dimension inside the loop over it: the loop runs over the box,
// which may hold more values than the dimension takes.
isl::set rangeOf(const Step &s, const View &view, size_t dimension);

// The values that a loop runs through: all in between where the exact ones would need several
// loops. Steps inside know for themselves whether they have anything to do.
isl::set loopValues(const Dimension &d, const View &view);

// The set with one dimension moved by a constant.
isl::set translated(const isl::set &values, int dimension, long by);

// What is certain of a single value that lies between the smallest and the largest.
isl::set hullOf(const isl::set &values);

// How many values there are, in 64 bits: the distance of two ints need not fit one.
ExprP difference(const ExprP &high, const ExprP &low);

} // namespace nw
