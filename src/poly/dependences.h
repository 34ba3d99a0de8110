// Dependences between statement instances, by isl, array by array, so that reductions can be told
// apart.
#pragma once
#include "ir/program.h"

namespace nw {

// All pairs of instances, in source order, of which the second must wait for the first because of
// `array`.
struct Dependence {
  enum Kind { Flow, Anti, Output } kind;
  std::string array;
  isl::union_map relation;
  bool isReduction = false; // both ends only reduce into the same element; may be reordered where
                            // reordering is allowed
};

struct Dependences {
  std::vector<Dependence> all;
  isl::union_map valueFlow; // write to read of the same value
  isl::union_map liveIn; // reads (statement to element) that may see a value from before the region
  isl::union_map
      asked; // pairs that the source wants in order, whatever they touch (poly/promises.h)

  // Union of those that have to be kept; with `relaxed`, reductions may be reordered.
  isl::union_map validity(bool relaxed) const;
};

// Source order of a statement's instances: [position, counter, position, counter, …], padded with
// zeros.
isl::union_map sourceOrder(const Program &program);
// Promises of the program's loops are believed.
Dependences computeDependences(const Program &program);
std::string print(const Dependences &d);

} // namespace nw
