// Which arrays may gain from shared memory (share, step 1): those that a user names (seeds), and
// everything that value flow inside statements and dependences between references tie to them.
// gemm: C joins A and B. Without seeds all arrays of the step.
#pragma once
#include "poly/dependences.h"

namespace nw::share {

struct Candidate {
  std::string array;
  std::string why; // the chain from a seed
};

// Seeds first, in their order, then the others from near to far. Only arrays in the user's memory
// are candidates; scalars and private variables pass the relation on. The vertices of the graph are
// an array's references in one statement, so two statements that merely read the same array are not
// tied by that. Throws UserError for a seed that no statement of the step refers to.
std::vector<Candidate> candidatesOf(const Program &program, const Dependences &dependences,
                                    const std::vector<std::string> &statements,
                                    const std::vector<std::string> &seeds);

} // namespace nw::share
