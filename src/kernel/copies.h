// Variables of a thread, once for each of its points: points whose code is jammed compute side by
// side, so that each needs variables of its own.
#pragma once
#include "ir/tree.h"

namespace nw {

struct Copies {
  std::vector<StmtP> declarations; // of all points
  std::vector<StmtP> codes;        // one for each point, in terms of its own variables
};

// `codes` are the code of the points, `declarations` declare the variables that all of them use
// under one name. Point 0 keeps it; the variable v of point k becomes v_k, or nw_v_k where
// `isTaken` says that there is such a name. A declaration says whose copy it is (Stmt::copyOf),
// which the verifier holds against the code.
Copies withCopies(const std::vector<StmtP> &declarations, const std::vector<StmtP> &codes,
                  const std::function<bool(const std::string &)> &isTaken);

} // namespace nw
