// Tiles of neighbouring points whose accesses are wide: what the points of a thread tile read is
// loaded into windows, several elements at a time and each element once; what they write is stored
// from windows in the same way. Where inner loops are shorter at the border, and where windows
// would reach beyond what is certainly read, points come one by one.
#pragma once
#include "lower/thread_tile.h"

namespace nw {

// Points that are in no whole tile, where these fill a box.
struct BoundaryKernel {
  StmtP body;
  std::array<ExprP, 3> threads;
  ExprP condition; // that there are whole tiles; null: always
};

struct WindowedTile {
  StmtP body;
  int64_t held = 0;      // 32-bit registers for what windows hold
  bool isPacked = false; // elements are smaller than a register
  int64_t underWay = 0;  // points whose results are not done while a row of a window is read
  std::map<std::string, int>
      alignment;   // arrays whose element 0 has to lie at a multiple of so many bytes
  ExprP condition; // that rows keep this alignment; null: they do
  std::optional<BoundaryKernel> frame; // the rest, where it is left to another kernel
};

// `bytes` is the most that one access moves; 0: single elements. `hasBoundaryKernel`: points at the
// border are left to a kernel of their own, where they can be. Nothing where the points cannot be
// put that way.
std::optional<WindowedTile> windowedTile(ThreadTile points, int bytes, bool hasBoundaryKernel,
                                         std::array<ExprP, 3> &threads);

} // namespace nw
