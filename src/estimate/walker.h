// The walk itself; kernel_walk.h says what it is for. Its parts stand in kernel_walk.cpp (warps and
// loops), walk_expressions.cpp, walk_memory.cpp (addresses, and what they cost) and
// walk_accesses.cpp (what is executed).
#pragma once
#include "estimate/kernel_walk.h"
#include "estimate/lane_value.h"
#include "estimate/loop_facts.h"
#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace nw {

using Mask = std::vector<char>; // by lane: whether it takes part

class Walker {
public:
  Walker(const Program &program, const Kernels &kernels, const Kernel &kernel,
         const std::map<std::string, int64_t> &values, const LaunchShape &shape,
         const DeviceSpec &device, const WalkOptions &options);
  KernelWalk run();

private:
  struct Area {
    const KernelParameter *parameter = nullptr; // null: shared memory
    std::vector<int64_t> extents;
    int64_t elementBytes = 4;
    int64_t base = 0;
  };

  // ---- warps and loops ----

  int warpsInBlock() const;
  // The sampled warps of a block.
  void warpsOf(const std::array<int64_t, 3> &block, double weight);
  void warp(const std::array<int64_t, 3> &block, int number, double weight);
  // Which way the warp goes: what lanes answer to a condition, one condition after the other.
  void noteAnswer(const LaneValue &condition);
  void scaleSums(double by);

  // An access of a warp.
  struct Access {
    size_t reference;
    int level; // of the loop in which it is executed
    LaneValue address;
    Mask mask;
  };

  // An expression, and whether it is written.
  using Side = std::pair<const Expr *, bool>;
  struct HashOfSide {
    size_t operator()(const Side &side) const {
      return std::hash<const Expr *>()(side.first) * 2 + side.second;
    }
  };

  // A visit of a loop's iteration, or of the kernel.
  struct Level {
    double weight;                    // of warps and iterations that this visit stands for
    double inWarp;                    // of iterations alone
    double trips;                     // of the loop at this level
    std::unordered_set<int> computed; // in this iteration
    std::unordered_map<std::string, std::unordered_set<int>> loaded; // the same, by array
    int loop;                                                        // its number
    std::string counter;
    int64_t iteration = 0;
    std::unordered_map<Side, size_t, HashOfSide> copies =
        {};                            // of an expression, that this iteration has come to
    std::vector<Access> accesses = {}; // to shared memory, that may be merged with others
  };
  int depth() const { return int(levels.size()) - 1; }
  static int activeIn(const Mask &m) { return int(std::count(m.begin(), m.end(), 1)); }
  static bool any(const Mask &m) { return std::find(m.begin(), m.end(), 1) != m.end(); }

  // Lanes of the mask for which the value is not zero.
  static Mask narrowed(const Mask &mask, const LaneValue &v);
  void walk(const StmtP &s, const Mask &mask);
  void barrier(const StmtP &s);

  // How often each lane runs through the loop: the condition holds for so many steps from the
  // start.
  std::vector<int64_t> tripsOf(const StmtP &s, const LaneValue &start, const LaneValue &step,
                               const Mask &mask, bool &isKnown);
  void loop(const StmtP &s, const Mask &mask);
  void unknownLoop(const StmtP &s, const Mask &mask);
  void assume(const StmtP &s, std::vector<int64_t> &trips, const Mask &mask);
  int samplesAt(int level) const {
    return options.samples <= 0 ? 0 : std::max(3, options.samples - (level > 2));
  }
  void enter(int number, const std::string &counter, int64_t iteration, double trips,
             double weight);
  void leave();
  const std::set<std::string> &assignedIn(int number) const;

  // What changes from iteration to iteration has no value that one iteration could be asked for.
  void forgetAssigned(int number);

  // ---- charging ----

  // `level`: of the loop in which it is executed.
  void add(const InstructionMix &m, int level) {
    out.phases[size_t(phase)] += m;
    out.stages[stageOf(levels[size_t(level)].loop)].mix += m;
    instructions[size_t(phase)] += m.total() / warpWeight;
  }
  // The number of a loop's stage in this phase.
  size_t stageOf(int loop);
  static InstructionMix branches(double count);

  // A comparison, an increment and a branch for each iteration, or for each few of them.
  void chargeIteration();

  // Whether this is computed for the first time at its level, and notes that it is.
  bool isNew(int level, int text) {
    return levels[size_t(std::min(level, depth()))].computed.insert(text).second;
  }
  bool isNewLoad(int level, const std::string &array, int text) {
    return levels[size_t(std::min(level, depth()))].loaded[array].insert(text).second;
  }
  void charge(const InstructionMix &m, int level, int text);
  // What tells values apart: the text, and of variables that are declared again with another value,
  // which value it is. Each has a number.
  int textOf(const ExprP &e);
  int numberOf(const std::string &text);
  // Of what is charged beside an expression, and of an expression with values of its variables.
  enum Kind : int64_t { kBranch, kPointer, kRedeclared };
  int numberOf(Kind kind, std::vector<int64_t> of);
  void findRedeclared(const StmtP &body);

  // ---- expressions ----

  // Whether lanes have different values; a value that nobody knows but is the same for all of them;
  // one that is computed of others.
  static bool varies(const LaneValue &v, const Mask &mask);
  static LaneValue alike(int level);
  static LaneValue unknownOf(std::span<const LaneValue> operands, int level, const Mask &mask);
  LaneValue evaluated(const ExprP &e, const Mask &mask);
  LaneValue operated(const ExprP &e, const Mask &mask);
  using Operands = ShortVector<LaneValue, 3>;
  Operands operands(const ExprP &e, const Mask &mask);
  LaneValue called(const ExprP &e, const Mask &mask);
  void declare(const StmtP &s, const Mask &mask);
  void assign(const StmtP &s, const Mask &mask);

  // Chains of operations in this stage: the deepest expression, and what waits for the iteration
  // before.
  void noteExpression(const ExprP &value, const ExprP &target);

  // ---- memory ----

  bool isInMemory(const ExprP &e) const;
  LaneValue ofLocalArray(const ExprP &e, const Mask &mask);
  void touchOwn(const ExprP &e, bool isWrite);

  // The address of an lvalue in bytes from the beginning of its array.
  LaneValue addressOf(const ExprP &e, const Mask &mask);

  // A load, or a store, of so many elements together; the value of a load depends on data.
  LaneValue touch(const ExprP &e, const Mask &mask, bool isWrite, int64_t together = 1);

  // Neighbours that are one access of several elements count as one. `issueAll`: those that have
  // waited for their neighbours.
  bool mergesNeighbours() const;
  void issue(const std::vector<const Access *> &merged);
  void issueAll(Level &level);

  // The elements of a window, in the pieces that are moved together.
  struct Piece {
    ExprP element;
    int64_t count;
  };
  void window(const StmtP &s, const Mask &mask);
  void moveWindow(const StmtP &s, const Mask &mask, bool isWrite);

  // One addition of 64 bits moves a pointer on; references that move alike share it.
  void chargePointer(const std::string &array, const LaneValue &address);
  void noteWait(size_t reference, int level);
  std::vector<int> loopsAround() const;

  // After a store, loads of the array are to be done again.
  void forget(const std::string &array);
  size_t referenceFor(const ExprP &e, bool isWrite, bool isShared, const Area &area, int bytes);
  void record(Reference &r, const LaneValue &address, const Mask &mask, double apart);
  // Where data decide: how many elements lanes go to, for as many as there are side by side and
  // each elsewhere.
  double apart(const ExprP &e, const Mask &mask, int bytes);

  // Transactions, or turns of the banks, of one access. Most of them come again elsewhere in
  // memory: those are looked up.
  struct AccessCost {
    double count = 0, bytes = 0, lines = 0, ideal = 0;
  };
  AccessCost costOf(const LaneValue &address, const Mask &mask, int bytes, bool isShared);

  double originOf(const LaneValue &address, const Mask &mask) const;

  // Which threads and blocks get here.
  void noteExtent(Reference &r, const Mask &mask);
  void finish();

  const Program &program;
  const Kernel &kernel;
  const LaunchShape &shape;
  const DeviceSpec &device;
  const WalkOptions &options;
  const KernelFacts facts;
  KernelWalk out;
  using Values = std::unordered_map<std::string, LaneValue>;
  Values scalars, locals, coordinates;
  // What variables held before they changed, one after the other: loops undo it where they end.
  std::vector<std::pair<std::string, LaneValue>> changes;
  void set(const std::string &name, const LaneValue &value);
  void undo(size_t from, int loop);
  std::array<LaneValue, 4> along; // of the coordinates, those of Along
  std::unordered_map<std::string, Area> areas;
  std::set<std::string> sharedSeen;
  std::set<std::string> inStack; // arrays of the thread's own
  std::vector<Level> levels;     // the kernel, then the loops around what is walked
  std::vector<double> visits, instructions, warpWeights; // of the warp that is followed
  double warpWeight = 1;
  size_t way = 0; // through the code, of the warps of this block so far
  std::map<std::pair<int, int>, size_t> stages; // by loop and phase
  std::map<const Stmt *, int> phaseAfter;       // a barrier of the grid
  int phase = 0;
  struct ExprText {
    int number;
    std::vector<std::string> redeclared; // of those, the variables in it
  };
  std::unordered_map<const Expr *, ExprText> texts;
  std::unordered_map<std::string, int> textNumbers;
  std::set<std::string> redeclared;
  std::map<std::string, int> declaredAs; // text of the value that such a variable has now
  std::unordered_map<Side, std::vector<size_t>, HashOfSide> numbers; // of references, by copy
  std::map<const Stmt *, std::vector<Piece>> windows;
  struct HashOfLanes {
    size_t operator()(const std::vector<int64_t> &lanes) const;
  };
  std::unordered_map<std::vector<int64_t>, AccessCost, HashOfLanes>
      costs; // by bytes, kind of memory, and where lanes are
  std::unordered_map<std::vector<int64_t>, int, HashOfLanes> otherNumbers;
  std::vector<ExprP> kept; // so that no other node gets the address of one that is remembered
  int quiet = 0;           // > 0: values are asked for, costs are not
  int inlined = 0;
  bool isFirst = false;
};

} // namespace nw
