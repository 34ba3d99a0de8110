// How much of what warps ask for reaches the second-level cache and the memory: a model of two
// caches by footprints. (principles names what caches and shared memory leave to global memory as
// the figure that decides; affine counts it as distinct data of a tile times the number of tiles.
// Here the tile is what a cache can hold.)
//
// First-level cache: the threads of a block run in step through their loops. The longest stretch of
// iterations whose footprint, of all references of the loop, fits the block's share of the cache is
// fetched once; the next stretch is fetched anew. Second-level cache: the same for all blocks that
// are resident at a time. Stores go through the first. For waiting it counts what is new to a warp:
// warps that run in step wait together for what one of them fetches.
#pragma once
#include "analysis/footprint.h"
#include "device/device_spec.h"
#include <string>

namespace nw {

// One position in a kernel's text that touches global memory, averaged over the launch.
struct ReferenceShape {
  std::string array;
  int elementBytes = 4;
  bool isWrite = false;
  bool isRegular = true;        // strides are known; otherwise any lane may touch anything
  double accesses = 0;          // of warps, in the launch
  double transactions = 1;      // per access
  double transactionBytes = 32; // of one
  double boxShare =
      1; // how much of the box of threads, blocks and loops gets there; the rest is guarded away
  double arrayBytes = 0;     // of the whole array; 0: not known
  int loop = 0;              // references with the same number stand in the same innermost loop
  double offset = 0;         // bytes, against other references to the array in the same loop
  Stride threads[2];         // of a block, along x and y
  Stride blocks[2];          // of the grid
  std::vector<Stride> loops; // around it, outermost first
  size_t keptLoops =
      99; // of those, innermost ones in which the first-level cache keeps what it has
};

struct CacheSizes {
  double firstBytes = 0;  // of the first-level cache that one block can count on; 0: there is none
  double secondBytes = 0; // of the second-level cache; 0: there is none
  double residentBlocks = 1; // on the whole device at a time
};

struct Traffic {
  double firstBytes = 0;  // what warps ask for, in transactions
  double secondBytes = 0; // what reaches the second-level cache
  double memoryBytes = 0; // what reaches memory
  double newToWarp =
      1; // share of a warp's transactions that are not in the first-level cache when it asks
};

// For each reference; those that share data with another in their loop have their part of it.
std::vector<Traffic> trafficOf(const std::vector<ReferenceShape> &references,
                               const CacheSizes &caches, const DeviceSpec &device);

} // namespace nw
