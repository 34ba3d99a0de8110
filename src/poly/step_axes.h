// The dimensions of one step of a schedule as named axes: loops around it, those over threads, and
// those that a thread runs along. Fused and skewed loops are one space this way, and references can
// be read over it.
#pragma once
#include "poly/steps.h"
#include <map>

namespace nw {

enum class AxisKind {
  Outer,    // a loop around the step: one value in a launch
  Parallel, // over threads and blocks
  Inside,   // a thread runs along it: time
};

struct StepAxis {
  std::string name;
  AxisKind kind = AxisKind::Inside;
  std::map<std::string, isl::map> values; // by statement; not those for which it is constant
};

// Outer ones, then parallel ones, then those inside, each outermost first. `outer`: the dimensions
// of the Loop steps around.
std::vector<StepAxis> stepAxes(const Step &step, const std::vector<Dimension> &outer = {});

// The values of the axis, over all of its statements.
isl::set rangeOf(const StepAxis &axis, const Program &program);

// Where an instance of a statement stands on the axes that it has.
struct StepPosition {
  std::vector<bool> axes; // which it has
  isl::map relation;      // instance -> those
};
StepPosition positionOf(const Statement &statement, const std::vector<StepAxis> &axes);

} // namespace nw
