// The iteration space of one step as the paper share looks at it: named axes, and every reference
// as affine rows over them. The axes are the dimensions of the schedule, so that fused and skewed
// loops are one space.
#pragma once
#include "analysis/affine_row.h"
#include "poly/step_axes.h"

namespace nw::share {

using Sizes = std::map<std::string, int64_t>; // of parameters

using nw::AxisKind;

struct Axis {
  std::string name;
  AxisKind kind = AxisKind::Inside;
  isl::set range; // of its values, over all statements
  // In the parameters, n or n - 2; "?" where they are not affine in them.
  std::string low, end, extent; // first value, the one after the last, how many
};

// One subscript: coefficients of the axes of the nest (0 where the statement has no such axis), of
// the parameters, and a constant.
using Row = AffineRow;

struct Reference {
  std::string statement, array;
  bool isWrite = false;
  bool isRegular = false; // affine; else `rows` is empty
  std::vector<bool> axes; // those that the statement has
  std::vector<Row> rows;  // one for each subscript; of a struct's scalars the last is the scalar
};

struct Nest {
  std::vector<Axis> axes; // outer ones, then parallel ones, then those inside, each outermost first
  std::vector<Reference> references; // to arrays in the user's memory
  std::vector<size_t> threads;       // axes along x, y and z of a block
};

// `outer`: the dimensions of the Loop steps around the step. `threads`: names of parallel axes, the
// one along neighbouring threads first; where empty, the innermost first. Throws InternalError for
// a name that is no such axis.
Nest nestOf(const Program &program, const Step &step, const std::vector<Dimension> &outer = {},
            const std::vector<std::string> &threads = {});

// How many values the axis has; `assumed` stands for parameters that `sizes` does not have. Nothing
// where it is not bounded.
std::optional<int64_t> extentOf(const Axis &axis, const Sizes &sizes, int64_t assumed);

// Bytes between the positions of neighbours along an axis, and between those of neighbours along a
// row; nothing where the array's inner extents are not known.
std::optional<int64_t> strideBytes(const Program &program, const Reference &reference, size_t axis,
                                   const Sizes &sizes, int64_t assumed);

} // namespace nw::share
