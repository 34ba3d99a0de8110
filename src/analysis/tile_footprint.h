// What a tile of iterations touches (affine, section 4.6: the union of the images of all
// references; share, step 4: its rectangular hull), and the loads and stores of a tile as functions
// of its sizes.
//
// A tile is a number of iterations of each loop, from an origin on. Boxes describe tiles that lie
// inside the domain: their extents are constants, and they move with the origin. References whose
// subscripts differ by more than constants (a[i][j] and a[j][i]) have boxes of their own: where
// those meet depends on the origin, so loads count both.
#pragma once
#include "analysis/affine_reference.h"

namespace nw {

// Iterations by loop id. A loop that is not named runs once.
using TileSizes = std::map<int, int64_t>;

enum class Touch { Reads, Writes, Both };

// What the references that are translations of each other touch of an array, in a tile inside the
// domain.
struct FootprintBox {
  std::vector<AffineReference> references;
  IntegerRow low; // of each subscript, against the sum over the loops of factor * origin (and over
                  // the parameters)
  IntegerRow extents; // of the rectangular hull
  IntegerRow below,
      above;            // halo: how far constants reach below and above the subscript without any
  IntegerRow shared;    // elements of each extent that the next tile's box has too, where one loop
                        // moves it; else 0
  int64_t elements = 0; // different ones that are touched
  bool isExact = true;  // whether `elements` was counted; else it is the size of the hull

  int64_t hullElements() const;
};

std::vector<FootprintBox> footprintBoxes(const Program &program,
                                         const std::vector<const Statement *> &statements,
                                         const std::string &array, const TileSizes &tile,
                                         Touch touch);

// The elements that the tile touches, exactly, at the border of the domain too; the origin of each
// loop is a parameter of the set, see originOf.
isl::set tileElements(const Program &program, const std::vector<const Statement *> &statements,
                      const std::string &array, const TileSizes &tile, Touch touch);
std::string originOf(const Program &program, int loop);

// Elements that a tile moves between global memory and the processor when each is moved once.
struct TileTraffic {
  int64_t loads = 0, stores = 0;
  bool isExact = true; // otherwise an upper bound
};

// Arrays in the user's memory. References that are not affine count once for each iteration.
TileTraffic tileTraffic(const Program &program, const std::vector<const Statement *> &statements,
                        const TileSizes &tile);
// Times the number of tiles; `extents` are iterations of whole loops.
TileTraffic totalTraffic(const Program &program, const std::vector<const Statement *> &statements,
                         const TileSizes &tile, const TileSizes &extents);
int64_t numberOfTiles(const TileSizes &tile, const TileSizes &extents);

// a[tile_i - 1 : 10][tile_j : 8]
std::string print(const Program &program, const FootprintBox &box);

} // namespace nw
