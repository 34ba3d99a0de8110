// Conflicts of banks and of memory channels, and how to remove them (share, section 3.3.1, Figure 4
// and Table 1): a decision tree over facts about one array's accesses.
//
//   array of structs?             -> one array for each field
//   2-D, and lanes are strided?   -> stride == width of the array ? transpose it : pad its rows
//   associative operation?        -> each thread starts at its own offset (floating point only when
//   asked) else                          -> arrange threads otherwise (diagonally)
//
// `width` is that of the whole array's rows. The paper pads mt and mv because the stride, a tile's
// row, is "smaller than array width"; where the tile has the whole row, every element of a column
// is in the same bank for good, and a transposed copy is worth it. Between channels the same tree
// holds, and the same lanes are asked: after staging they are not strided, so conflicts between
// blocks are for reordering and remapping.
#pragma once
#include "device/device_spec.h"
#include <array>

// The degree of bank conflicts is bankConflictDegree's (analysis/bank_conflicts.h), which is the
// paper's equation where that says something.
namespace nw::share {

struct ConflictFacts {
  std::string array;
  bool isArrayOfStructs = false;
  int rank = 1;
  int64_t stride =
      1; // elements between the positions of neighbouring threads, as they lie in memory
  int64_t rowLength =
      0; // elements of a row as it lies in memory (of a tile in shared memory); 0: not in rows
  int64_t width = 0; // elements of a row of the whole array
  int elementBytes = 4;
  bool isAssociative = false;   // the accesses are reduced by an operation that may be reordered
  bool isFloatingPoint = false; // of that operation
};

enum class RemovalKind { None, FieldArrays, Padding, Transpose, AccessReorder, ThreadRemap };

struct Removal {
  RemovalKind kind = RemovalKind::None;
  int degree = 1; // before
  int pad = 0;    // columns, of Padding
  std::array<std::array<int, 2>, 2> placement = {
      {{1, 0}, {0, 1}}}; // Q of the threads' (or blocks') coordinates
  std::string why;
};

const char *nameOf(RemovalKind kind);

// As many neighbouring blocks as there are channels, each beginning `bytes` after the one before:
// how many of them meet in one channel. That is gcd(bytes / channelBytes, channels) where the
// division is exact. 1 where the device has no channels that strides make uneven, and where
// neighbours share a channel's piece of memory.
int channelDegree(int64_t bytes, const DeviceSpec &device);

struct RemovalOptions {
  bool padding = true;
  bool reorderFloatingPoint = false; // --fp allows it
};

// In shared memory.
Removal removeBankConflicts(const ConflictFacts &facts, const DeviceSpec &device,
                            const RemovalOptions &options = {});
// In global memory, between neighbouring blocks that begin `blockBytes` apart. `facts.stride` is
// between threads.
Removal removeChannelConflicts(const ConflictFacts &facts, int64_t blockBytes,
                               const DeviceSpec &device, const RemovalOptions &options = {});

} // namespace nw::share
