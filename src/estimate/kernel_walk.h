// What a kernel does at given sizes, read off its tree: instructions by class, and for each
// reference to memory how many accesses of warps there are, what they cost and how addresses move
// along threads, blocks and loops.
//
// A few warps are followed (the first, the last and some between, each standing for its neighbours)
// through a few iterations of each loop, with numbers for sizes and addresses; data are not known.
// What does not change in a loop is counted outside it, and what stands twice is counted once, as
// device compilers do. It stands outside the rooms because analyses come before kernels.
#pragma once
#include "analysis/instruction_mix.h"
#include "device/device_spec.h"
#include "kernel/kernel.h"

namespace nw {

struct LaunchShape {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int, 3> block = {1, 1, 1};
  double blocks() const { return double(grid[0]) * double(grid[1]) * double(grid[2]); }
  int threads() const { return block[0] * block[1] * block[2]; }
};

// A location in the text that touches memory. Sums are over all warps of the launch.
struct Reference {
  std::string array, text; // as the user wrote it
  Location at;
  int buffer = -1; // or -1: shared memory
  int elementBytes = 4;
  bool isWrite = false;
  bool isRegular = true; // addresses do not depend on data
  int loop = 0;          // number of the innermost loop around it, 0 for none
  int phase = 0;         // code between two barriers of the grid
  double accesses = 0;   // of warps, as the text has them
  double issued = 0;     // of those, what is left after merging
  double transactions = 0, transactionBytes = 0, lines = 0,
         ideal = 0;                             // of global memory, for `accesses`
  double turns = 0, idealTurns = 0;             // of shared memory, the same
  double issuedTurns = 0, issuedIdealTurns = 0; // of `issued`, with neighbours in one access
  double offset = 0;                            // of the first address that was seen
  int64_t first[4], last[4];                    // threads and blocks, by dimension, that get there
  size_t keptLoops = 0;           // innermost loops around it without a barrier of the grid
  std::vector<double> strides;    // bytes, by dimension (see Along), averaged
  std::vector<double> counts;     // iterations of the loops around, averaged
  std::vector<std::string> loops; // their counters, outermost first
};

// Code that runs through without waiting for itself: the body of a loop without its inner loops, or
// of the kernel; each phase has its own.
struct Stage {
  int loop = 0, phase = 0;
  std::string counter;          // of the loop
  std::vector<size_t> loads;    // references that it waits for
  double longestExpression = 0; // operations on numbers that wait for each other
  double recurrence = 0;        // those that wait for the iteration before
  double overlap = 1;           // iterations that are in flight together
  bool touchesShared = false;
  double visits = 0;  // of a warp, on average
  InstructionMix mix; // of warps, of the whole launch
};

struct KernelWalk {
  InstructionMix mix; // of warps, of the whole launch
  std::vector<InstructionMix>
      phases; // the same for the code between barriers of the grid, in the order of the text
  double warps = 1;
  std::vector<Reference> references;
  std::vector<Stage> stages;
  std::vector<std::vector<double>>
      visitsOfWarps; // for each warp that was followed: visits of each stage
  std::vector<std::vector<double>> instructionsOfWarps; // the same: instructions of each phase
  double gridBarriers = 0, blockBarriers = 0;           // that the first warp meets
  double reducedBarriers = 0; // of the block barriers, those of a grid of one block
  int64_t sharedBytes = 0;
  double ownLoads = 0, ownStores = 0; // of arrays of threads that are in memory: lines, since
                                      // elements of lanes lie side by side
  std::vector<std::string> assumed;   // what could not be known, in words
};

struct WalkOptions {
  int samples =
      3; // of blocks along each dimension, of warps of a block, of iterations of a loop; 0: all
  bool contract = true;   // a*b + c is one instruction
  int64_t stackBytes = 0; // of a thread: arrays of its own for which there is room in it are in
                          // memory, others in registers
};

// `values` has a value for every scalar that the host knows.
KernelWalk walkKernel(const Program &program, const Kernels &kernels, const Kernel &kernel,
                      const std::map<std::string, int64_t> &values, const LaunchShape &shape,
                      const DeviceSpec &device, const WalkOptions &options = {});

// The first, the last, and the middles of equal parts of what lies between, with how many each
// stands for.
std::vector<std::pair<int64_t, double>> sampled(int64_t count, int samples);

} // namespace nw
