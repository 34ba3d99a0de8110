// Proposes tiles: for steps whose points read the same elements again and again along a sequential
// loop (products), and for those that read across the grain of memory (transpositions). (affine,
// section 4; share, ReuseSet and CoalesceSet; principles, tiling)
#pragma once
#include "device/device_spec.h"
#include "plan/plan.h"

namespace nw {

struct TileOptions {
  bool staging = true;   // copies in shared memory
  bool padding = true;   // of these copies
  bool registers = true; // several points in a thread
  bool vectors = true;   // loads of several elements
};

struct TileChoice {
  std::vector<TilePlan> tiles; // the largest first
  std::string why;
};

// Whether points of the step share what a statement reads along a loop inside: of two arrays, each
// follows a parallel dimension that the other does not.
bool sharesOperands(const Program &program, const Step &step, const Statement &statement);

// Whether the statement has each value of a parallel dimension with each of the others, as tiles
// without edges want it.
bool fillsBox(const Program &program, const Step &step, const Statement &statement);

// `grid`: the dimensions of the step's plain form, the one along neighbouring threads first.
TileChoice chooseTiles(const Program &program, const Step &step,
                       const std::vector<std::string> &grid, const DeviceSpec &device,
                       const TileOptions &options);

} // namespace nw
