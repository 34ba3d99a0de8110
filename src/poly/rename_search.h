// False dependences through memory: where an array is used again for other values, loops run in
// order although no value passes from one iteration to the other. Finds the two kinds that memory
// of our own removes; poly/rename.h does it.
#pragma once
#include "poly/dependences.h"

namespace nw {

struct Renaming {
  enum Kind {
    Snapshot, // reads that see what an array held before a loop, all of them: they read from a copy
              // that is made there
    Expansion // an array of which no value leaves an iteration of some loops: each iteration has
              // elements of its own
  } kind;
  std::string array;
  // Snapshot: the loop before which the copy is made, and how many loops stand around it.
  int loop = 0;
  size_t depth = 0;
  std::vector<std::pair<size_t, size_t>> reads; // numbers of statements and of their accesses
  // Expansion: positions of the loops whose iterations get elements of their own, outermost first,
  // and the extents of the array with these in front.
  std::vector<size_t> levels;
  std::vector<ExprP> extents;
  isl::union_map lastWriters; // writer -> element, of what is visible after the region
};

// Those that may be done, each for itself and all together. Whether they help is for the schedule
// to say.
std::vector<Renaming> findRenamings(const Program &program, const Dependences &dependences);

// Value-based flow through one array into `reads`: { writer -> [reader -> element] }, and reads
// that may see a value from before the region.
struct ValueFlow {
  isl::union_map sources, none;
};
ValueFlow valueFlow(const Program &program, const std::string &array, const isl::union_map &reads,
                    const isl::union_map &order);

// Whether somebody may look at the array after the region.
bool isVisibleAfter(const Array &array);

} // namespace nw
