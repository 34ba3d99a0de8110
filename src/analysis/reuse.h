// Reuse of data (affine, section 4.1): higher-order where a reference's access matrix has a smaller
// rank than there are loops; constant where several references touch the same elements in one tile.
//
// The paper does not say when constant reuse is sufficient. Here: when the references of a tile
// touch, counted one by one, at least `factor` times as many elements as there are different ones
// (share's δ_r, 1.4 to 2 by platform). Only references of one statement count together: statements
// of other nests do not run in the same tile.
#pragma once
#include "analysis/tile_footprint.h"

namespace nw {

struct ReferenceReuse {
  int rank = 0;
  int loops = 0;
  std::vector<int> redundantLoops; // ids of loops that are in no subscript
  bool isHigherOrder() const { return rank < loops; }
};

ReferenceReuse reuseOf(const AffineReference &reference);

// How often one statement's references to an array touch its elements, in a tile inside the domain.
struct TileReuse {
  int64_t accesses = 0;  // all executions of all references
  int64_t apart = 0;     // different elements of each reference, added up
  int64_t different = 0; // different elements of all of them
  bool isExact = true;
  int64_t duplicates() const { return accesses - different; }
  // Elements that one reference brings for another, as a factor: 1 where none does.
  double constantReuse() const { return different ? double(apart) / double(different) : 1; }
};

TileReuse tileReuse(const Program &program, const Statement &statement, const std::string &array,
                    const TileSizes &tile);

struct ReuseOptions {
  double factor = 1.4;   // constant reuse from which on it is sufficient
  int64_t tileSize = 16; // iterations of every loop of the tile that it is judged by
};

// References to the user's memory whose data has no reuse in the program: no reference to the array
// has higher-order reuse, and there is no sufficient constant reuse in the statement. Algorithm 1
// tries to coalesce them. Scalars, references that are not affine and references without loops are
// not among them. Of a read and a write of the same element, the first stands for both.
std::vector<AffineReference> referencesWithoutReuse(const Program &program,
                                                    const ReuseOptions &options = {});

} // namespace nw
