// An integer as the lanes of a warp hold it, with how it changes along threads, blocks and loops.
// What depends on data is not known; everything else is a number, because sizes are given.
#pragma once
#include "support/short_vector.h"
#include <cstdint>
#include <string>

namespace nw {

// Dimensions of slopes: threads of a block, blocks of the grid, then the loops around, outermost
// first.
enum Along { kThreadX, kThreadY, kBlockX, kBlockY, kFirstLoop };

struct LaneValue {
  bool isKnown = false;
  ShortVector<int64_t, 32> lanes; // one for all, or one for each lane
  ShortVector<double, 12> slopes; // by dimension, where the warp stands; missing ones are 0
  bool varies = true;             // from lane to lane, where it is not known
  int level = 0; // the innermost of the loops around, counted from 1, that it changes in; 0: none

  int64_t at(size_t lane) const { return lanes.size() == 1 ? lanes[0] : lanes[lane]; }
  bool isUniform() const { return lanes.size() == 1; }
  double slope(size_t dimension) const { return dimension < slopes.size() ? slopes[dimension] : 0; }
};

LaneValue uniform(int64_t value);
LaneValue unknown(int level);
// The operators of trees, and min, max, floord.
LaneValue applied(const std::string &op, const LaneValue &a, const LaneValue &b);
LaneValue negated(const std::string &op, const LaneValue &a);
LaneValue chosen(const LaneValue &condition, const LaneValue &a, const LaneValue &b);

} // namespace nw
