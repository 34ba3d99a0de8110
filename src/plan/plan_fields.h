// The fields of a plan, once: name in JSON, member, what it may be, what it means, over which
// values the tuner tries it and which ones the fuzzer draws. Reading, writing, checking, the
// tuner's knobs, random variation and the reference in docs/plan.md walk over these tables, so that
// a new field is one member in plan.h and one row here. docs/plan.md, "Adding a field", goes
// through it.
#pragma once
#include "plan/plan_values.h"
#include <concepts>
#include <functional>
#include <limits>

namespace nw {

// What a number, or each entry of a list of numbers, may be.
struct NumberRule {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> allowed; // instead of the range, where it is not empty

  bool admits(int64_t number) const;
  std::string inWords() const; // "1 to 32", "0, 8 or 16", "0 or more"; empty: anything
};

// How many entries a list may have.
struct CountRule {
  size_t fewest = 0, most = std::numeric_limits<size_t>::max();

  bool admits(size_t count) const { return count >= fewest && count <= most; }
  std::string inWords() const; // "2", "at most 8", "2 to 3"; empty: any number
};

// A row of a table. Of its properties, those that a row does not set say: may be left out, any
// value, not tuned, not varied.
template <class Owner, class Value> struct PlanField {
  using Values = std::function<std::vector<Value>(const KnobSite &, const Value &proposed)>;

  PlanField(const char *name, Value Owner::*member, const char *meaning)
      : name(name), member(member), meaning(meaning) {}

  const char *name;
  Value Owner::*member;
  const char *meaning;

  bool isRequired = false;
  NumberRule numbers;
  CountRule entries;
  const char *knob = nullptr; // what the tuner calls it
  Values values;              // that it tries
  std::vector<Value> listed;  // the same, where they are the same for all kernels
  std::vector<int64_t> drawn; // by the fuzzer: numbers, or entries of a list of numbers

  PlanField required() && { return isRequired = true, std::move(*this); }
  PlanField range(int64_t from, int64_t to) && {
    return numbers = {from, to, {}}, std::move(*this);
  }
  PlanField oneOf(std::vector<int64_t> all) && {
    return numbers.allowed = std::move(all), std::move(*this);
  }
  PlanField count(size_t from, size_t to) && { return entries = {from, to}, std::move(*this); }
  // The tuner tries these values, beside the proposed one.
  PlanField tuned(const char *word, std::vector<Value> all) && {
    listed = all;
    return std::move(*this).tuned(
        word, [all](const KnobSite &, const Value &) -> std::vector<Value> { return all; });
  }
  PlanField tuned(const char *word, Values all) && {
    return knob = word, values = std::move(all), std::move(*this);
  }
  // The fuzzer draws these, each as likely as the others: small ones, so that small sizes have
  // several tiles and edges.
  PlanField varied(std::vector<int64_t> all) && { return drawn = std::move(all), std::move(*this); }
};

template <class Owner, class Value>
PlanField<Owner, Value> field(const char *name, Value Owner::*member, const char *meaning) {
  return {name, member, meaning};
}

constexpr int64_t kMostThreads = 65536;          // of a block; devices have less
constexpr int64_t kMostPointsOfStep = 1LL << 53; // what all readers of JSON can hold

// Fields<Struct>::visit(f) calls f(row) for each field, in the order of the files. Fields<Struct>::
// about says what the struct is.
template <class Owner> struct Fields;

template <> struct Fields<StagedArray> {
  static constexpr const char *about = "An array that a block copies to shared memory.";
  template <class Visit> static void visit(Visit &&v) {
    using S = StagedArray;
    v(field(
          "array", &S::array,
          "The array. Each of its subscripts is a dimension plus a constant, to which counters of "
          "short loops inside a point may be added (a filter), or something that all threads of "
          "the block agree on. An array that is written must not be read, each point must write "
          "one element of it in every case, and the tail must be `guard`, with one stage and no "
          "prefetch. Else it is accessed in memory as before.")
          .required());
    v(field("padding", &S::padding,
            "Unused elements after each row of the copy, against bank conflicts.")
          .range(0, kMostPadding)
          .tuned("padding", {0, 1, 4})
          .varied({0, 0, 0, 0, 0, 1, 2, 3, 4, 5}));
    v(field("swizzle", &S::swizzle,
            "The same without unused elements: element `c` of row `r` lies at `c ^ (r % swizzle)`, "
            "where rows have a multiple of as many elements; else it has no effect. 0: none.")
          .oneOf({0, 2, 4, 8, 16, 32, 64})
          .tuned("swizzle", swizzlesToTry)
          .varied({0, 0, 0, 0, 2, 4, 8}));
  }
};

template <> struct Fields<TilePlan> {
  static constexpr const char *about = "A form of a step in which blocks compute tiles.";
  template <class Visit> static void visit(Visit &&v) {
    using T = TilePlan;
    v(field(
          "grid", &T::grid,
          "The dimensions: the one along neighbouring threads (x), the other one of the tile (y), "
          "then those of which a block has one value; perhaps in another order than in the plain "
          "form. All of the step's parallel dimensions but the strip's.")
          .required()
          .count(1, 64));
    v(field("block", &T::block, "Threads along x and y; 1 for y where there is one dimension.")
          .required()
          .count(2, 2)
          .range(1, kMostThreads)
          .tuned("block", tileBlocksToTry)
          .varied({1, 2, 3, 4, 5, 6, 7, 8}));
    v(field("threadTile", &T::threadTile,
            "Values of x and y that a thread takes. A tile has `block` times as many along each.")
          .required()
          .count(2, 2)
          .range(1, kMostPoints)
          .tuned("thread tile",
                 {{1, 1}, {2, 2}, {4, 2}, {2, 4}, {4, 4}, {8, 4}, {4, 8}, {8, 8}, {1, 4}, {1, 8}})
          .varied({1, 2, 3, 4}));
    v(field("contiguous", &T::contiguous,
            "How many of a thread's values are neighbours, before the next thread's begin; divides "
            "`threadTile`.")
          .required()
          .count(2, 2)
          .range(1, kMostPoints)
          .tuned("contiguous values", {{1, 1}, {2, 2}, {4, 4}})
          .varied({1, 2, 3, 4}));
    v(field("strip", &T::strip,
            "The loop that is cut into strips: a sequential one inside the threads, or a parallel "
            "dimension that is not in `grid`. Empty: none."));
    v(field("stripLength", &T::stripLength, "Values of that loop in a strip; 0 without a strip.")
          .range(0, kLongestStrip)
          .tuned("strip length", stripLengthsToTry)
          .varied({1, 2, 3, 4, 5}));
    v(field(
          "tail", &T::tail,
          "What becomes of tiles that would reach beyond the last value. `guard`: points at edges "
          "ask. `shift-inwards`: those tiles are shifted inwards so that they lie inside, and "
          "points "
          "that belong to the tile before are computed once more and not stored; for sizes of a "
          "tile and a strip and more, with a strip and staged arrays; threads load 16 bytes of "
          "neighbours, element by element. `exact`: there is no code for edges, the form is for "
          "sizes that tiles and strips divide, whose rows and arrays begin at multiples of "
          "`vectorBytes`.")
          .tuned("tail", tailsToTry)
          .varied({0, 0, 1, 2}));
    v(field("vectorBytes", &T::vectorBytes,
            "Bytes that one load of a copy moves, with the tail `exact`; 0, an element, with the "
            "others.")
          .oneOf({0, 8, 16})
          .tuned("bytes of a load", copyBytesToTry)
          .varied({8, 16}));
    v(field("stages", &T::stages,
            "Buffers of each copy: with 2, strips take turns, so that a strip needs one barrier "
            "instead of two.")
          .range(1, 2)
          .tuned("stages", stagesToTry)
          .varied({1, 2}));
    v(field("prefetch", &T::prefetch,
            "Strips that are on their way into registers while one is computed. No effect where "
            "threads have different numbers of elements to copy.")
          .range(0, 1)
          .tuned("prefetch", prefetchesToTry)
          .varied({0, 1}));
    v(field(
          "async", &T::async,
          "Copies of the next strip go to the other of two stages by themselves (`cp.async`, from "
          "sm_80 on) while one is computed, without registers; needs the tail `guard` and no "
          "prefetch. In OpenCL and on older devices they are plain copies. Never proposed: on the "
          "H200, products of odd sizes took 7 to 9 % longer with it.")
          .varied({0, 0, 1}));
    v(field("staged", &T::staged, "The arrays that are copied to shared memory.").required());
    v(field("minBlocksPerSm", &T::minBlocksPerSm,
            "Blocks that a multiprocessor should have room for: the registers of a thread are "
            "limited by that (`__launch_bounds__`).")
          .range(1, 1024)
          .tuned("blocks per multiprocessor", {1, 2, 3, 4})
          .varied({1, 2, 3}));
    v(field("profitableFrom", &T::profitableFrom,
            "Tiles from which on this form is taken; with fewer, the next one.")
          .range(0, std::numeric_limits<int>::max())
          .tuned("profitable from", {0, 33, 66, 132, 264})
          .varied({0, 0, 0, 1, 2, 3, 4}));
  }
};

template <> struct Fields<ArrayPlan> {
  static constexpr const char *about = "The memory that a kernel reads an array from.";
  template <class Visit> static void visit(Visit &&v) {
    using A = ArrayPlan;
    v(field("name", &A::name, "The array.").required());
    v(field("space", &A::space,
            "`global`: plain loads and stores. `read-only`: the kernel does not write it, and the "
            "text promises so (CUDA `const T *__restrict__`, OpenCL `__global const T *restrict`), "
            "so that loads may take a read-only path. `constant`: OpenCL `__constant`; in CUDA's "
            "text as `read-only`, since a `__constant__` variable is one for all streams and would "
            "have to be copied on every call.")
          .required());
    v(field("why", &A::why, "The reason. Free text."));
  }
};

template <> struct Fields<BlockReductionPlan> {
  static constexpr const char *about =
      "A form of a step in which the threads of a block share a reduction, or all loops of a step "
      "in phases.";
  template <class Visit> static void visit(Visit &&v) {
    using B = BlockReductionPlan;
    v(field("loop", &B::loop, "The loop over which the step reduces.").required());
    v(field("axis", &B::axis,
            "The threads that share it: `x`, neighbours, where neighbouring values of the loop are "
            "neighbours in memory; or `y`, where neighbouring values of the parallel loop are.")
          .required());
    v(field(
          "block", &B::block,
          "Threads along x and y. The number along `axis` is how many share one reduction, a power "
          "of two; along the other axis lie values of the parallel loop. With axis `y`, a third "
          "number (up to 256) is how many blocks at most share one reduction: each leaves a "
          "partial result in memory, and a second kernel takes them in order. A step in phases has "
          "axis `x`.")
          .required()
          .count(2, 3)
          .range(1, kMostThreads)
          .tuned("block of the reduction", reducingBlocksToTry));
    v(field("profitableFrom", &B::profitableFrom,
            "Values of the loop from which on this form is taken; with fewer, the next one. 0: "
            "always.")
          .required()
          .range(0, std::numeric_limits<int>::max())
          .varied({0, 0, 0, 0, 1, 2, 3, 5, 7, 9}));
    v(field("rowsUpTo", &B::rowsUpTo,
            "Values of the parallel loops, all together, up to which this form is taken; with "
            "more, the next one. 0: any number.")
          .range(0, std::numeric_limits<int>::max())
          .varied({0, 0, 0, 2, 20}));
    v(field(
          "lineAligned", &B::lineAligned,
          "Threads begin where a line of memory does, up to 31 elements before the row, so that 32 "
          "neighbours touch one line in each turn, not two; in the first turn they ask whether "
          "their element is one of the row. Needs 32 threads along x.")
          .tuned("line alignment", lineAlignmentsToTry)
          .varied({0, 1, 1, 1}));
  }
};

template <> struct Fields<FusePlan> {
  static constexpr const char *about =
      "This step and the next, which reduce over one array, as one kernel.";
  template <class Visit> static void visit(Visit &&v) {
    using F = FusePlan;
    v(field("with", &F::with, "The next step.").required());
    v(field("block", &F::block, "Threads of a block, which has whole rows: a power of two.")
          .required()
          .range(32, kMostThreads)
          .tuned("fused block", {128, 256, 512, 1024})
          .varied({32}));
    v(field(
          "columns", &F::columns,
          "Columns of each thread. Where there are more than `block` times as many, the two steps "
          "are launched instead.")
          .required()
          .range(1, kMostFusedColumns)
          .tuned("fused columns", {4, 8, 16, 32})
          .varied({1, 2, 3, 4}));
    v(field("rows", &F::rows,
            "Rows that a block has at a time: more loads are under way, and one barrier serves all "
            "of them.")
          .required()
          .range(1, kMostFusedRows)
          .tuned("fused rows", {1, 2, 3, 4})
          .varied({1, 2, 3, 4}));
    v(field("blocks", &F::blocks, "Most blocks; each leaves a partial result of every column.")
          .required()
          .range(1, kMostFusedBlocks)
          .tuned("fused blocks", fusedBlocksToTry)
          .varied({1, 2, 3, 4}));
    v(field("profitableFrom", &F::profitableFrom,
            "Rows and columns from which on the steps are fused; with fewer, the two are launched. "
            "Columns that every thread has then (4 of 16 with blocks of 512 and 2048 columns) are "
            "not asked about.")
          .required()
          .count(2, 2)
          .range(0, std::numeric_limits<int>::max())
          .varied({0, 1, 2, 0, 1, 2, 32, 64, 96}));
  }
};

template <> struct Fields<KernelPlan> {
  static constexpr const char *about = "One step, which is a kernel.";
  template <class Visit> static void visit(Visit &&v) {
    using K = KernelPlan;
    v(field("name", &K::name,
            "`step0`, `step1`, …; the kernel is called `FUNCTION_REGION_NAME`. Not changed.")
          .required());
    v(field(
          "grid", &K::grid,
          "Its parallel dimensions. The first runs along neighbouring threads. The second, if any, "
          "runs along the other direction of the block, a third along the grid's third axis; where "
          "there are more, all but the first are merged into one. Their order can be changed.")
          .required());
    v(field(
          "block", &K::block,
          "Threads of a block: along the first dimension, and along the others. Empty, like "
          "`grid`, for a kernel of one thread; one number, a power of two, for a reduction of all "
          "instances into one element.")
          .required()
          .count(0, 2)
          .range(1, kMostThreads)
          .tuned("block", blocksToTry)
          .varied({1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 40}));
    v(field("threadTile", &K::threadTile,
            "Neighbouring values of each dimension that one thread takes: `[4]`, or `[1, 4]` for "
            "four of the second. Their loops are one, so that what they have in common is read "
            "once; variables of a point get copies (`sum`, `sum_1`, …). Empty: one. For parallel "
            "steps of one or two dimensions, and the first two of three with `vectorBytes`; 32 in "
            "all, 64 with `vectorBytes`.")
          .count(0, 2)
          .range(1, kMostPoints)
          .tuned("thread tile", threadTilesToTry)
          .varied({1, 2, 3, 4}));
    v(field(
          "vectorBytes", &K::vectorBytes,
          "Most bytes of one access. The points of a thread tile are loaded into *windows* then, "
          "several elements at a time and each element once, and stored in the same way. Needs 2, "
          "4, 8 or 16 values of the first dimension in `threadTile`. A second kernel, "
          "`step0_wide`, is made for it; the plain one, of single points, stays for small launches "
          "and for memory that does not lie at multiples of the access. 0: single elements.")
          .oneOf({0, 4, 8, 16})
          .tuned("bytes of an access", accessBytesToTry)
          .varied({0, 0, 4, 8, 16}));
    v(field("vectorsProfitableFrom", &K::vectorsProfitableFrom,
            "Points of the step from which on the wide kernel is used.")
          .range(1, kMostPointsOfStep));
    v(field(
          "windowTile", &K::windowTile,
          "Values of each dimension that one thread takes in a third kernel, `step0_windows`, that "
          "is used where wide accesses are not possible: each element is loaded once into a "
          "window, by itself. The first is a power of two. Empty: the plain kernel instead.")
          .count(0, 2)
          .range(1, kMostPoints)
          .tuned("window tile", windowTilesToTry)
          .varied({1, 2, 3, 4}));
    v(field("windowsProfitableFrom", &K::windowsProfitableFrom,
            "Points of the step from which on that kernel is used.")
          .range(1, kMostPointsOfStep));
    v(field("boundaryKernel", &K::boundaryKernel,
            "Points at the border, which have no whole window, are left to a kernel of their own, "
            "launched after the one with windows.")
          .tuned("boundary kernel", boundaryKernelsToTry)
          .varied({0, 1}));
    v(field(
          "unroll", &K::unroll,
          "Iterations of the innermost loops of a thread that CUDA's compiler is asked to take at "
          "once: more loads are under way, and more registers in use. 0: as the compiler likes.")
          .range(0, kMostUnrolled)
          .tuned("unroll", {0, 2, 4, 8, 16})
          .varied({0, 0, 0, 1, 2, 3, 8}));
    v(field("tiles", &K::tiles,
            "Forms in which blocks compute tiles. The first that suits the sizes is launched, and "
            "where none does, the plain form.")
          .count(0, kMostForms));
    v(field("arrays", &K::arrays,
            "The memories of the arrays that it touches (not of scalars and of nestwarp's own "
            "buffers). Arrays that are not listed stay as proposed."));
    v(field("blockReductions", &K::blockReductions,
            "Forms in which the threads of a block share a reduction inside the step; the first "
            "that is profitable is taken. Where there is none, each thread reduces for itself.")
          .count(0, kMostForms));
    v(field("fuse", &K::fuse, "This step and the next as one kernel. Left out: two kernels."));
    v(field("why", &K::why, "The reason. Free text."));
  }
};

template <> struct Fields<LoopPlan> {
  static constexpr const char *about = "A sequential loop around kernels.";
  template <class Visit> static void visit(Visit &&v) {
    using L = LoopPlan;
    v(field("loop", &L::loop,
            "The loop's counter; `c0`, `c1`, … for loops that isl made. Not changed.")
          .required());
    v(field(
          "form", &L::form,
          "`plain`: the host loops and launches the kernels again and again. `resident`: a kernel "
          "that contains the loop is made as well, and is used at run time where it fits the "
          "device; possible where it is proposed.")
          .required()
          .tuned("loop", launchFormsToTry)
          .varied({0, 1, 1, 1}));
    v(field("why", &L::why, "The reason. Free text."));
  }
};

template <> struct Fields<Plan> {
  static constexpr const char *about = "One region; the file is a list of these.";
  template <class Visit> static void visit(Visit &&v) {
    using P = Plan;
    v(field("function", &P::function, "The function that the region is in.").required());
    v(field(
          "region", &P::region,
          "The region's number in the file, counted over the regions that are taken and the nests "
          "whose kernels could not be proved (NW0297). With `--function` only regions of that "
          "function are counted, so make and replay a plan with the same flags.")
          .required()
          .range(0, std::numeric_limits<int>::max()));
    v(field("kernels", &P::kernels, "The steps in order; each is a kernel.").required());
    v(field("loops", &P::loops,
            "The sequential loops around kernels, in order, outer before inner.")
          .required());
    v(field("reductionBlocks", &P::reductionBlocks,
            "Most blocks that compute partial results of a reduction of all instances into one "
            "element.")
          .range(1, 65535)
          .tuned("blocks of reductions", {64, 128, 256, 512, 1024, 2048})
          .varied({1, 2, 3, 4, 5}));
  }
};

// The words of each choice, in the order of its values.
const std::vector<std::string> &wordsOf(LaunchMode);
const std::vector<std::string> &wordsOf(Tail);
const std::vector<std::string> &wordsOf(ThreadAxis);
const std::vector<std::string> &wordsOf(MemorySpace);

// Kinds of fields, for those who walk over the tables.
template <class T> struct ListTraits {
  static constexpr bool isList = false;
};
template <class T> struct ListTraits<std::vector<T>> {
  static constexpr bool isList = true;
};
template <class T> constexpr bool isList = ListTraits<T>::isList;
template <class T>
concept WholeNumber = std::same_as<T, int> || std::same_as<T, int64_t>;
template <class T>
concept HasFields = requires { Fields<T>::about; };

} // namespace nw
