// A tile, as its code names it.
#pragma once
#include "ir/tree.h"
#include <array>
#include <set>

namespace nw {

// Names and sizes of a tile: its dimensions, their first values in it, how many there are.
struct TileBox {
  std::string y, x, strip;
  std::string yFirst, xFirst, stripFirst;
  int64_t height, width, length;
  std::array<int, 2> threads;
  bool atEdge;                       // some points may be none, and elements for them not there
  bool atEnd;                        // the strip may be shorter
  bool isAsync;                      // copies are under way while something else is done
  std::optional<int64_t> stripStart; // where the first strip begins, if that is a number
  bool mayStore = false;             // what points write may be staged, too
  std::set<std::string> outer;       // dimensions of which the block has one value
  ExprP isPoint,
      inStrip; // which points and values of the strip there are, of their names; null: all
};

} // namespace nw
