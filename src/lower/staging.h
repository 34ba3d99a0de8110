// Copies of what a tile reads or writes, in shared memory: a box of the array, brought there or
// from there by all threads of the block. (affine, share; lite for stores)
#pragma once
#include "lower/tile_box.h"
#include "lower/tiles.h"
#include <map>
#include <set>

namespace nw {

struct Staging {
  std::vector<StmtP> shared; // declarations
  std::vector<StmtP> loads; // of elements into registers of the threads, before the copies: all are
                            // under way at once
  std::vector<StmtP> copies;    // between barriers
  StmtP code;                   // reading the copies, and writing those that are stored
  std::vector<StmtP> stores;    // of what the code has written, behind a barrier
  std::set<std::string> arrays; // that have copies
  std::map<std::string, int>
      wide; // arrays of which several elements are loaded at once, and how many
};

// References of the arrays that the plan names, where each subscript is one of the tile's
// dimensions or the same for the whole block: arrays that are only read, or only written, once by
// each point.
Staging stageArrays(const TileSite &site, const TilePlan &plan, const TileBox &box,
                    const StmtP &code, const Type &indexType);

} // namespace nw
