// What shared memory would save a block (share, steps 5 to 7): which arrays are read again and
// again (ReuseSet), which references waste transactions (CoalesceSet), and the profit of both in
// bytes.
//
// Accesses and elements are counted in boxes: a block's part of the parallel axes, and the whole
// extent of those inside. The paper counts as "duplicate" every access (A of gemm: TB_X*TB_Y*n),
// and says that there is no reuse where they are as many as the elements; so does this. An element
// that only one thread touches, again and again, is left to a register (the paper affine, "other
// memories").
#pragma once
#include "device/device_spec.h"
#include "plan/share_split.h"

namespace nw::share {

struct Options {
  double reuseThreshold =
      1.4; // delta_r: accesses for each element that count as reuse; 1.4 to 2 in the paper
  double sharedFraction =
      0.25;           // delta_s: of a multiprocessor's shared memory, for one block; 0.125 to 0.25
  int candidates = 8; // choices that are kept, best first
  int64_t transactionBytes =
      0;                      // 0: the device's largest. The paper has 256 for gemm on the GTX 690
  int64_t leastX = 32;        // threads along x, so that rows are coalesced
  int64_t assumedSize = 4096; // of a parameter that is not given
};

// One way to split the loops, and what belongs to it.
struct Problem {
  const Program &program;
  const Nest &nest;
  Split split; // completed
  std::vector<Tile> tiles;
  std::vector<std::string> asked; // arrays with `:coalesce`
  Sizes sizes;
  Options options;
  int64_t transactionBytes = 128;
  AxisLengths extents;
};

Problem problemOf(const Program &program, const Nest &nest, const Split &split,
                  const std::vector<std::string> &arrays, const std::vector<std::string> &asked,
                  const Sizes &sizes, const DeviceSpec &device, const Options &options);

// What a block's part of each axis is: the free lengths are `free`, or the whole extent for all of
// time.
AxisLengths heldAt(const Problem &problem, const Shape &shape, int64_t free);
AxisLengths wholeAt(const Problem &problem, const Shape &shape);

// Whether neighbouring elements are touched at the same time, and by neighbouring threads.
struct Adjacency {
  bool inTime = true, inSpace = true;
};
Adjacency adjacencyOf(const Nest &nest, const Reference &reference);

// A product in the profit.
struct Term {
  double coefficient = 0;
  std::vector<std::string> factors; // n, TB_X; sizes before sides of blocks
};
// 8*n*TB_Y*(TB_X + 32)
std::string text(const std::vector<Term> &terms);

struct Feature {
  std::string array;
  bool isReused = false, isUncoalesced = false;
  double accesses = 0, elements = 0; // of one block
  double transactions = 0;           // of its uncoalesced references
  std::string why;
  bool isStaged() const { return isReused || isUncoalesced; }
};

struct Profit {
  std::vector<Feature> features; // of the arrays that have tiles, in their order
  double bytes = 0;
  std::vector<Term> terms;
};

Profit profitOf(const Problem &problem, const Shape &shape);

// Bytes of shared memory of the staged arrays' tiles.
int64_t sharedBytesOf(const Problem &problem, const Profit &profit, const Shape &shape,
                      int64_t free);

// Of one scalar, also in an array of structs.
int64_t scalarBytes(const Array &array);

} // namespace nw::share
