// Which sections of which arrays the points of a tile touch, read from the code of one point.
#pragma once
#include "ir/linear_tree.h"
#include "lower/thread_tile.h"

namespace nw {

struct FoundWindow {
  std::string name, array;
  Section section;
  ExprP origin;               // the first element, in terms of the tile's first point
  std::vector<LinearSum> low; // its subscripts
  std::vector<int64_t> extents;
  int64_t phase = 0;                             // of the first element in a group of section.unit
  std::vector<std::pair<ExprP, ExprP>> accesses; // elements in the code, and what stands for them
  std::vector<std::string> firsts;               // of the tile

  // first point of a tile -> elements of the window
  isl::map elements(isl::ctx ctx, size_t dimensions) const;
};

struct WindowSearch {
  const InstanceContext &context;
  const Step &step;
  const StmtP &code; // of one point, in variables of the dimensions' names
  const WholeTile &tile;
  int bytes; // most that one access moves
};

// Nothing where the code has loops that are not between constants, or writes an array in another
// way than each point its own element, in every case.
std::optional<std::vector<FoundWindow>> findWindows(const WindowSearch &search);

} // namespace nw
