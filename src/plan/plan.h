// The Plan: every decision about one region, as a value that people can read, edit, pin and replay.
#pragma once
#include "plan/array_plan.h"
#include "poly/steps.h"

namespace nw {

// How a sequential loop around parallel steps is run.
enum class LaunchForm {
  Plain,    // the host loops and launches
  Resident, // one kernel loops, with barriers: a single block where that is wide enough, else a
            // cooperative grid
};

// An array that a block copies to shared memory.
struct StagedArray {
  std::string array;
  int padding = 0; // elements between rows of the copy, against bank conflicts
  int swizzle = 0; // the same without unused elements: a row's elements change places within so
                   // many, by the row's number; 0: none
};

// A form of a step in which blocks compute tiles; see lower/tiles.h.
struct TilePlan {
  std::vector<std::string> grid; // the two dimensions, x first
  std::vector<int> block;        // threads along x and y
  std::vector<int> points;       // values of x and of y that a thread takes
  std::vector<int> run;          // how many of them are neighbours, before the next thread's begin
  std::string strip;             // the sequential loop that is cut into strips; empty: none
  int length = 0;                // of a strip
  int buffers = 1; // of each copy; with two, strips take turns, and a barrier is enough for each
  int ahead = 0;   // strips that are on their way into registers while one is computed: 0 or 1
  int async = 0;   // 1: copies of the next strip go to shared memory by themselves while one is
                   // computed, without registers
  int vectors = 0; // bytes that a load of a copy moves, for sizes that tiles and strips divide; 0:
                   // an element, for any sizes
  int inside = 0;  // 1: the last tiles are moved back so that they lie inside, for sizes of a tile
                   // and more; 0: points at edges ask
  std::vector<StagedArray> staged;
  int together =
      1; // blocks that a multiprocessor should have room for: its registers are limited by that
  int least = 0; // tiles there must be; with fewer, the next form is taken
};

// A fold inside a parallel step that the threads of a block share out among them.
struct SpreadPlan {
  std::string loop; // over which it folds
  int axis = 0;     // the threads that share it: 0 along x, neighbours; 1 along y
  std::vector<int>
      block; // threads along x and y; along the other axis lie values of the parallel loop
  int from =
      0; // values of the loop from which on it is spread; below that, each thread folds for itself
  bool lines = false; // the first thread begins where a line of memory does, in or before the row,
                      // see plan/lines.h
};

// Two neighbouring steps that fold over one array, this one and the next, in one kernel, see
// plan/join.h.
struct JoinPlan {
  std::string with; // the next step
  int block = 0;    // threads of a block, which has whole rows
  int columns = 0;  // of a row, for each thread: longer rows than block * columns are not joined
  int rows = 1;     // that a block has at a time
  int blocks = 1;   // at most
  std::vector<int> from; // rows and columns from which on the steps are joined
};

// Strips of rows through shared memory: a form that the step could have; see plan/row_strips.h.
struct StripForm {
  std::string what; // loads, stores or both
  TilePlan tiles;
};

struct KernelPlan {
  std::string name; // step0, step1, … in the order of the steps
  std::vector<std::string> statements;
  std::vector<std::string> grid; // parallel dimensions, the one along neighbouring threads first
  std::vector<int> block;        // threads along each of them (the rest are folded into the last)
  std::vector<int> points;       // values of each of them that one thread takes; empty: one
  std::vector<TilePlan>
      tiles; // other forms, the first that suits the sizes is taken; the last is the plain one
  std::string why;
  std::string kind = "parallel"; // parallel, reduction or serial: what the step is, not a choice;
                                 // empty in a file: not said
  std::vector<ArrayPlan> arrays =
      {}; // those that it touches; in a file, only those that are decided there
  std::optional<SpreadPlan> spread =
      {}; // of a fold inside the step; none: each thread folds for itself
  std::optional<std::string> spreadable = {}; // not a choice: the loop that could be spread
  std::string lineless =
      {}; // not a choice: why its folds cannot begin at lines of memory; empty: they can
  std::optional<JoinPlan> join = {};  // with the next step; none: each is a kernel of its own
  std::vector<StripForm> strips = {}; // not a choice: what could be coalesced by strips of rows
  std::optional<std::string> joinable = {}; // not a choice: the next step, where it could be joined
  int vectors = 0; // most bytes of one access to neighbouring elements of a thread's points; 0:
                   // single elements
  int64_t vectorsFrom =
      1; // points of the step from which on threads take several and wide accesses are used
  int frame =
      0; // 1: points at the border, which have no whole window, are left to a kernel of their own
  std::vector<int> windows = {}; // points of a thread where wide accesses are not possible, each
                                 // element loaded once; empty: the plain form
  int64_t windowsFrom = 1;       // points of the step from which on that is used
};

// More points of a thread would not fit its registers.
constexpr int kMostPoints = 32;         // of a thread along a dimension
constexpr int kMostPointsOfThread = 64; // in all, with windows; else as many as along a dimension
constexpr int kMostJoinedRows = 4, kMostJoinedBlocks = 65535;
constexpr int kLongestStrip = 256, kMostPadding = 64;
constexpr size_t kMostForms = 8; // of one step

// Whether a thread takes more than one value of some dimension.
bool hasSeveralPoints(const KernelPlan &kernel);

struct LoopPlan {
  std::string loop; // its dimension
  LaunchForm form = LaunchForm::Plain;
  std::string why;
};

struct Plan {
  std::string function;
  int region = 0;
  std::string schedule;
  std::vector<KernelPlan> kernels; // for Parallel, Reduction and Serial steps in tree order
  std::vector<LoopPlan> loops;     // for Loop steps in tree order
  std::vector<std::string>
      expanded; // private variables that live in memory, one element per iteration
  int reductionBlocks = 256;
};

// No file of plans is larger; what is, is something else.
constexpr size_t kLargestPlan = size_t(16) << 20;

std::string toJson(const std::vector<Plan> &plans);
// Throws UserError where the text is no plan.
std::vector<Plan> fromJson(const std::string &text);

} // namespace nw
