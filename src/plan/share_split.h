// From partitions of seed arrays to a split of the loops, and from there to partitions of all
// candidates (share, steps 2 to 4). A seed's partition is diagonal: one length for each dimension.
// The inverse image through a reference gives lengths of axes; compatible ones are intersected. The
// image of the split through all references of an array, as a rectangular hull, is what a block
// holds of it.
#pragma once
#include "ir/share_length.h"
#include "plan/share_nest.h"

namespace nw::share {

struct Seed {
  std::string array;
  std::vector<Length> lengths; // one for each dimension
  bool coalesce = false;       // `:coalesce`: the user says that it is not coalesced
};

// How far a block reaches along each axis. An axis that is not in it is not divided by any seed.
struct Split {
  std::map<size_t, Length> lengths; // by the axis' number
};

// i:[0:n:TB_Y], j:[0:n:TB_X], k:[0:n:*]
std::string text(const Nest &nest, const Split &split);

// The splits that agree with all seeds; several where references of one seed contradict each other,
// one for each of them (share, equation 18). Two splits are compatible where they are equal in each
// axis that both have, or one of them has `*` there. Throws UserError for a seed of the wrong rank,
// for one whose subscript runs along two parallel axes, and for two seeds that are incompatible,
// naming both.
std::vector<Split> splitsOf(const Nest &nest, const std::vector<Seed> &seeds);

// The split with a length for every axis: what no seed divides, or divides by `*`, has TB_X, TB_Y
// or TB_Z along threads, 1 along further parallel axes and outer loops, and stays `*` (free) along
// time.
Split completed(const Nest &nest, const Split &split);

// One dimension of a tile: sum of factor * (length of the axis - 1), and 1 + range.
struct TileRow {
  std::vector<std::pair<size_t, int64_t>> terms; // axis, factor > 0
  int64_t range = 0;    // between the offsets of the references that share the tile
  std::string freeName; // k1, k2, … where an axis of it is free; else empty
};

// The rectangular hull of references to one array that move alike; others to the same array have a
// tile of their own.
struct Tile {
  std::string array;
  std::vector<TileRow> rows;
  std::vector<size_t> references; // numbers in the nest
};

// Tiles of the given arrays, in their order. Arrays with a reference that is not affine have none.
std::vector<Tile> tilesOf(const Nest &nest, const Split &completed,
                          const std::vector<std::string> &arrays);

// Lengths of all axes.
using AxisLengths = std::vector<int64_t>;

int64_t lengthOf(const TileRow &row, const AxisLengths &lengths);
// Elements that a tile shares with its neighbour along this dimension.
int64_t overlapOf(const TileRow &row, const AxisLengths &lengths);
double elementsOf(const Tile &tile, const AxisLengths &lengths);
std::string text(const Split &completed, const Tile &tile); // A[TB_Y][k1], B[TB_X + 2]

} // namespace nw::share
