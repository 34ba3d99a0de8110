// The points of a step that lie in no whole tile of windows, as a kernel of their own: threads of
// the tiles' kernel then have nothing to ask but whether their tile is there.
#pragma once
#include "lower/windowed_tile.h"

namespace nw {

// `tiles`: first points of whole tiles, wherever they begin; those of the kernel begin at multiples
// of their width along x, and along y from the first point on. Nothing where they fill no box.
std::optional<BoundaryKernel> boundaryAround(const ThreadTile &points, const isl::set &tiles);

} // namespace nw
