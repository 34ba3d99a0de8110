// Unroll and jam: the code of several points of a thread tile as one, sharing loops and conditions
// that are the same in all of them, so that what the points have in common is done once. (share,
// section on ILP: regions of a thread are wrapped around several elements.)
#pragma once
#include "ir/linear_tree.h"

namespace nw {

// The codes must be independent of each other: their statements may be executed in any order among
// them.
StmtP jam(const std::vector<StmtP> &codes);

// x + 3 under the name x_3 and the like: variables that differ by constants from a common one, by
// their declarations.
class Offsets {
public:
  explicit Offsets(const StmtP &code);
  // Whether two elements of an array are certainly different elements: in some subscript they are
  // variables that differ.
  bool areDifferent(const ExprP &a, const ExprP &b) const;

private:
  bool differ(const ExprP &a, const ExprP &b) const;
  std::map<std::string, LinearSum> offsets; // by name
};

} // namespace nw
