// Blocks that have one value of each of some parallel dimensions: their number along z, taken
// apart.
#pragma once
#include "lower/boxes.h"
#include <functional>

namespace nw {

struct BlockValues {
  std::vector<StmtP> declarations; // of a variable for each dimension, of its name
  ExprP many;                      // blocks along z that the launch needs
};

// `launchValue` is a value that the host computes, under a name.
BlockValues
blockValues(const Step &step, const std::vector<size_t> &dimensions, const Box &box,
            const Type &type,
            const std::function<ExprP(const std::string &, const ExprP &)> &launchValue);

// The view with what is certain of variables of the dimensions' names: they lie between the first
// and the last value.
View withRanges(const Step &step, const std::vector<size_t> &dimensions, const View &view);

// The view, of all or some of the step's statements, for one value of each of the dimensions,
// variables of their names. `all` is the view of all statements, whose values blocks take.
View withBlockValues(const Step &step, const std::vector<size_t> &dimensions, const View &view,
                     const View &all);

} // namespace nw
