// The second half of *affine*: padding (Algorithm 2), and the search by a model (section 6):
// numbers of threads from registers, tile sizes by what they move.
#pragma once
#include "analysis/adjacency.h"
#include "papers/paper_region.h"
#include <set>

namespace nw::papers {

// What Algorithm 1 and the choice of memories have left.
struct AffineChoice {
  const AdjacencyCandidate &schedule;
  const std::set<std::string> &staged; // arrays in shared memory
};

// `source`: the program that the choice is about.
Lines searchSteps(const PaperRegion &region, const Program &source, const AffineChoice &choice);

} // namespace nw::papers
