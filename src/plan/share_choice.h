// The best block shape and free lengths for shared memory (share, step 7): all shapes of powers of
// two, dropped where they break a limit of the device, ranked by profit. Every reason is kept as
// text.
#pragma once
#include "plan/share_candidates.h"
#include "plan/share_profit.h"

namespace nw::share {

struct Staged {
  std::string array;
  std::string tile;             // A[TB_Y][k1]
  std::vector<int64_t> lengths; // in numbers
  int64_t bytes = 0;
  bool isReused = false, isUncoalesced = false;
};

struct Choice {
  Split split;
  Shape shape;
  int64_t freeLength = 0; // of every free axis; 0: there is none
  std::vector<Staged> staged;
  double profit = 0;       // bytes
  std::string profitText;  // 8*n*TB_Y*(TB_X + 32)
  std::string freeLimit;   // k1 + k2 <= 96; empty where nothing is free
  int64_t sharedBytes = 0; // of one block
  int64_t residentBlocks = 0;
  std::vector<std::string> why;
};

struct Decision {
  std::vector<Candidate> candidates;
  std::vector<Choice> choices;  // best first; empty where nothing is worth staging or nothing fits
  std::vector<std::string> why; // in that case
};

// Blocks that one multiprocessor holds, by shared memory, threads and blocks.
int64_t residentBlocks(const Shape &shape, int64_t sharedBytes, const DeviceSpec &device);

// Why the device or the options refuse a shape that takes that much shared memory; nothing where
// they do not.
//   |DS| <= sharedFraction * shared memory of a multiprocessor, and no more than a block may have
//   threads <= the most of a block, and of a multiprocessor
// The paper's third limit, threads * (shared memory / |DS|) <= threads of a multiprocessor, taken
// literally, excludes its own answer for gemm (1024 * 6 > 2048). It is read as: of the blocks that
// shared memory has room for, as many are resident as threads allow; so it only refuses a block
// that is larger than a multiprocessor.
std::optional<std::string> refusal(const Shape &shape, int64_t sharedBytes,
                                   const DeviceSpec &device, const Options &options);

// Throws UserError for seeds that are wrong (see candidatesOf and splitsOf).
Decision decide(const Program &program, const Dependences &dependences,
                const std::vector<std::string> &statements, const Nest &nest,
                const std::vector<Seed> &seeds, const Sizes &sizes, const DeviceSpec &device,
                const Options &options = {});

} // namespace nw::share
