// Indices of threads and blocks become loops: what a grid does is what loops over its threads do,
// in any order.
#pragma once
#include "ir/cuda_kernel.h"
#include "ir/region.h"
#include <array>
#include <map>

namespace nw {

struct ThreadLoops {
  StmtP tree;
  std::array<GridAxis, 3> axes;
  std::vector<Variable> parameters; // the numbers of the launch that the loops need
};

// `body` is what one thread does, with variables such as threadIdx.x; loops that begin at an index
// and go on by as many as there are have a stride. `blockSizes` are those that launches or
// annotations give, 0 where they do not; `names` are the user's for indices. New variables are
// added to `variables`. Throws a Diagnostic where an index is used in a way that has no loop.
ThreadLoops threadLoops(const StmtP &body, const std::array<int64_t, 3> &blockSizes,
                        const std::vector<std::pair<std::string, ExprP>> &names,
                        std::map<std::string, Variable> &variables, Location kernel);

} // namespace nw
