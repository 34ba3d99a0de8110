// The Plan: every decision about one region, as a value that people can read, edit, pin and replay.
// plan/plan_fields.h has a row for each field: what it means and what it may be.
#pragma once
#include "plan/array_plan.h"
#include "poly/steps.h"

namespace nw {

// How a sequential loop around parallel steps is run.
enum class LaunchMode {
  Plain,    // the host loops and launches
  Resident, // one kernel loops, with barriers: a single block where that is wide enough, else a
            // cooperative grid
};

// What becomes of tiles that would reach beyond the last value.
enum class Tail {
  Guard,        // points at edges ask
  ShiftInwards, // the last tiles are shifted inwards so that they lie inside, for sizes of a tile
                // and more
  Exact,        // there are none: the form is for sizes that tiles and strips divide
};

// The threads of a block that share something.
enum class ThreadAxis { X, Y };

// An array that a block copies to shared memory.
struct StagedArray {
  std::string array;
  int padding = 0;
  int swizzle = 0;
};

// A form of a step in which blocks compute tiles; see lower/tiles.h.
struct TilePlan {
  std::vector<std::string> grid;
  std::vector<int> block;
  std::vector<int> threadTile;
  std::vector<int> contiguous;
  std::string strip;
  int stripLength = 0;
  Tail tail = Tail::Guard;
  int vectorBytes = 0;
  int stages = 1;
  int prefetch = 0;
  bool async = false;
  std::vector<StagedArray> staged;
  int minBlocksPerSm = 1;
  int profitableFrom = 0;
};

// A form of a parallel step with a reduction inside, which the threads of a block share.
struct BlockReductionPlan {
  std::string loop;
  ThreadAxis axis = ThreadAxis::X;
  std::vector<int> block;
  int profitableFrom = 0;
  bool lineAligned = false;
  int rowsUpTo = 0;
};

// Two neighbouring steps that reduce over one array, this one and the next, in one kernel, see
// plan/fusion.h.
struct FusePlan {
  std::string with;
  int block = 0;
  int columns = 0;
  int rows = 1;
  int blocks = 1;
  std::vector<int> profitableFrom;
};

struct KernelPlan {
  std::string name; // step0, step1, … in the order of the steps
  std::vector<std::string> grid;
  std::vector<int> block;
  std::vector<int> threadTile;
  int vectorBytes = 0;
  int64_t vectorsProfitableFrom = 1;
  std::vector<int> windowTile;
  int64_t windowsProfitableFrom = 1;
  bool boundaryKernel = false;
  int unroll = 0;
  std::vector<TilePlan> tiles;
  std::vector<ArrayPlan> arrays;
  std::vector<BlockReductionPlan> blockReductions;
  std::optional<FusePlan> fuse;
  std::string why;
};

// More points of a thread tile would not fit its registers.
constexpr int kMostPoints = 32;        // of a thread along a dimension
constexpr int kLargestThreadTile = 64; // in all, with windows; else as many as along a dimension
constexpr int kMostFusedRows = 4, kMostFusedColumns = 32, kMostFusedBlocks = 65535;
constexpr int kMostReducingBlocks = 256; // that share one reduction
constexpr int kMostUnrolled = 64;
constexpr int kLongestStrip = 256, kMostPadding = 64;
constexpr size_t kMostForms = 8; // of one step

// Whether a thread takes more than one value of some dimension.
bool hasThreadTile(const KernelPlan &kernel);

struct LoopPlan {
  std::string loop; // its dimension
  LaunchMode form = LaunchMode::Plain;
  std::string why;
};

struct Plan {
  std::string function;
  int region = 0;
  std::vector<KernelPlan> kernels; // for Parallel, Reduction and Serial steps in tree order
  std::vector<LoopPlan> loops;     // for Loop steps in tree order
  int reductionBlocks = 256;
};

// Of the files: raise it where a field changes its name or its meaning.
constexpr int kPlanVersion = 3;

// No file of plans is larger; what is, is something else.
constexpr size_t kLargestPlan = size_t(16) << 20;

std::string toJson(const std::vector<Plan> &plans);
// Throws UserError where the text is not a plan, or one of another version.
std::vector<Plan> fromJson(const std::string &text);

// What is wrong with the values of one kernel, or of a plan, by themselves, whatever the program
// and the device are, in words that follow its name; nothing where all is well.
std::string wrongValues(const KernelPlan &kernel);
std::string wrongValues(const Plan &plan);

} // namespace nw
