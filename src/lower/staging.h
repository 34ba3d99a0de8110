// Copies of what a tile reads, in shared memory: a box of the array, brought there by all threads of the block.
#pragma once
#include "lower/tiles.h"
#include <map>

namespace nw {

// Names and sizes of a tile: its dimensions, their first values in it, how many there are.
struct TileBox {
  std::string y, x, strip;
  std::string yFirst, xFirst, stripFirst;
  int64_t height, width, length;
  std::array<int, 2> threads;
  bool atEdge; // some points may be none, and elements for them not there
  bool atEnd;  // the strip may be shorter
  bool isAsync; // copies are under way while something else is done
  std::optional<int64_t> stripStart; // where the first strip begins, if that is a number
};

struct Staging {
  std::vector<StmtP> shared; // declarations
  std::vector<StmtP> loads;  // of elements into registers of the threads, before the copies: all are under way at once
  std::vector<StmtP> copies; // between barriers
  StmtP code;                // reading the copies
  std::map<std::string, int> wide; // arrays of which several elements are loaded at once, and how many
};

// References of the arrays that the plan names, where each subscript is one of the tile's dimensions or the same for the whole block.
Staging stageReads(const TileSite &site, const TilePlan &plan, const TileBox &box, const StmtP &code, const Type &indexType);

} // namespace nw
