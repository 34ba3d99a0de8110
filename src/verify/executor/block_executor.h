// Runs the threads of one block side by side, over symbols: sizes, numbers of blocks and turns of
// loops are symbols, numbers of threads are numbers. What registers and shared memory hold is
// known as elements of arrays, so that swizzles, divisions, buffers that take turns and wide
// accesses are executed, not read. Loops whose length is not known are entered in a state that
// holds before every turn (see loops.cpp).
//
// It finds: staged reads whose copy does not hold the element, copies back of something else,
// threads that collide in shared memory between two barriers, barriers that some threads miss, and
// what it cannot execute. Subscripts of memory beyond its bounds and 32-bit arithmetic are left to
// other checks.
#pragma once
#include "ir/program.h"
#include "verify/executor/domain.h"
#include "verify/finding.h"
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>

namespace nw {

class BlockExecutor {
public:
  explicit BlockExecutor(const std::array<int, 3> &block);

  // A size, or another integer that is the same for all threads; whether it is never negative.
  void addInteger(const std::string &name, bool isNatural = false);
  // An array in memory.
  void addArray(const std::string &name);
  // A register of every thread that holds the thread's own value of `name`.
  void addPart(const std::string &name, const Type &type);
  // A variable of threads in which elements wait: staged reads of it are looked at, as those of
  // shared memory are.
  void addRegister(const std::string &name) { proved.insert(name); }

  void run(const StmtP &body);

  // The threads whose values the register of a thread holds, put together by the operator (see
  // Collective), each as often as it is in there; nothing where it is not such a value.
  std::vector<int> threadsIn(const std::string &name, int thread, const std::string &op) const;

  const std::set<std::string> &problems() const { return said; }

private:
  // Where a thread is under way: at most under the guard, and exactly there where that is certain.
  // What it does counts under a guard of its own: code may run unasked.
  struct Way {
    bool isActive = true, isCertain = true, isCounted = true;
    Guard guard, counts;
    bool operator==(const Way &) const = default;
  };
  using Path = std::vector<Way>; // of each thread
  struct Truth {                 // of a condition, for each thread
    enum Kind : int8_t { No, Yes, Guarded, Unknown };
    std::vector<Kind> kind;
    std::vector<Guard> guard; // of Guarded
    bool operator==(const Truth &) const = default;
  };
  // What was found for all threads: loops ask for the same again and again, with references to it.
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Path &path) const;
    size_t operator()(const Truth &truth) const;
    template <class A, class B> size_t operator()(const std::tuple<A, B, bool> &both) const {
      return ((*this)(std::get<0>(both)) * 31 + (*this)(std::get<1>(both))) * 2 + std::get<2>(both);
    }
  };
  template <class A, class B, class R>
  using Found = std::unordered_map<std::tuple<A, B, bool>, R, Hash, std::equal_to<>>;
  struct Held {
    Datum datum;
    bool isThere = false; // somewhere:
    Guard guard;
    bool operator==(const Held &) const = default;
  };
  struct Slot {
    Held held;
    bool isPending = false; // computed, and not yet copied back, at most under this guard:
    Guard pending;
    int writer = kNobody, reader = kNobody; // since the last barrier
  };
  struct Shared {
    Type type;
    std::vector<int64_t> extents;
    std::vector<Slot> slots;
  };
  struct Registers { // element by element, each of all threads
    Type type;
    std::vector<int64_t> extents;
    std::vector<Held> held;
  };
  struct State {
    std::map<std::string, Lanes> integers;
    std::map<std::string, Registers> registers;
    std::map<std::string, Shared> shared;
  };
  static constexpr int kNobody = -1, kSeveral = -2;

  // Instances that put nothing into shared memory need not run where nobody looks at what they
  // read: they only change variables.
  struct Effect {
    bool isRead = false;
    std::set<std::string> variables;
  };
  const Effect &effectOf(const StmtP &s);
  bool findEffect(const StmtP &s, bool inInstance, Effect &effect);

  // Statements.
  void exec(const StmtP &s, Path &path);
  void execAll(const std::vector<StmtP> &body, Path &path);
  void declare(const Stmt &s, const Path &path);
  void assign(const Stmt &s, const Path &path);
  void branch(const Stmt &s, const Path &path);
  static void settle(std::map<std::string, Lanes> &integers,
                     const std::map<std::string, Lanes> &other);
  void window(const Stmt &s, const Path &path);
  void barrier(const Path &path);
  void reduce(const Stmt &s, const Path &path);
  void forget(const std::string &variable);
  // Loops: see loops.cpp.
  void loop(const Stmt &s, const Path &path);
  bool shortLoop(const Stmt &s, const Path &path);
  std::optional<int> mostTurns(const Stmt &s, const Lanes &start, const Lanes &step, Path going);
  void symbolicLoop(const Stmt &s, const Path &path);
  void loopOfBlocks(const Stmt &s, const Lanes &start, const Path &path);
  bool loopAroundOthers(const Stmt &s, const Path &path);
  void forgetChanged(const StmtP &code);
  bool isAnythingPending() const;
  static bool areMarkedAlike(const State &a, const State &b);
  void turn(const Stmt &s, const Lanes &counter, bool hasNext, const Path &path);
  void turns(const Stmt &s, const Lanes &first, int64_t step, int many, const Path &path);
  State generalized(const State &before, const State &after, FormId number);
  bool weakened(State &wanted, const State &after, FormId number);
  void leaveTurn(Guard inside, Guard outside);
  static void forget(State &changed, const State &before, const std::vector<State> &ends);
  static void addMarks(State &all, const State &end);
  static void takeMarks(State &state, const State &from);
  static bool hasBarrier(const StmtP &s);
  static bool mayMeet(const StmtP &s);

  // Values.
  Lanes integer(const ExprP &e, const Path &path);
  Lanes arithmetic(const std::string &op, const Lanes &a, const Lanes &b);
  // A number in a variable of a type, or as an operand of it.
  static Lanes converted(const Lanes &value, const Type &from, const Type &to);
  Lanes quotient(const Lanes &a, int64_t by, const Path &path);
  Lanes choice(bool isMin, const Lanes &a, const Lanes &b);
  Lanes opaque(const std::string &what, const std::vector<Lanes> &of);
  static Lanes number(int64_t value);
  Truth truth(const ExprP &e, const Path &path);
  Truth nothingKnown() const;
  Truth both(const Truth &a, const Truth &b);
  Truth joined(Truth a, const Truth &b);
  Truth compared(const std::string &op, const Lanes &a, const Lanes &b, const Path &path);
  std::vector<Held> data(const ExprP &e, const Path &path);
  std::vector<Held> together(const std::string &op, const std::vector<Held> &a,
                             const std::vector<Held> &b);
  // The number of an array, or -1 where there is none.
  int arrayOf(const std::string &name) const;
  // The element of an array, if its subscripts are known.
  Datum elementOf(int array, const std::vector<Lanes> &subscripts, int thread,
                  Datum::Kind kind) const;
  std::vector<Lanes> subscriptsOf(const ExprP &e, const Path &path);
  // Reads of shared memory, and staged reads, anywhere in an expression.
  void look(const ExprP &e, const Path &path);
  std::vector<Held> readShared(const ExprP &e, const Path &path);
  void writeShared(const ExprP &e, const std::vector<Held> &values, bool isPending,
                   const Path &path);
  void underWay(const ExprP &e, const Path &path);
  std::vector<Held> stagedRead(const ExprP &e, const Path &path);
  bool isHeld(const Datum &wanted, const Held &there, const Way &way);
  void copyBack(const ExprP &target, const ExprP &from, const Path &path);
  // Where the element of a shared array is, for a thread that reads or writes it; nothing, with a
  // problem, where that is unknown.
  Slot *slotIn(Shared &array, const ExprP &e, const std::vector<Lanes> &subscripts, int thread);
  // The number of the element, or -1.
  int64_t slotOf(const std::vector<int64_t> &extents, const std::vector<Lanes> &subscripts,
                 int thread) const;

  Path everyone() const;
  Path under(const Path &path, const Truth &truth, bool holds);
  Path narrowed(const Path &path, const Truth &truth, bool holds);
  static bool isAnyone(const Path &path);
  static bool isEveryone(const Path &path);
  // The value, where the thread puts it.
  Held put(const Held &value, const Way &way);
  Held elementHeld(const Datum &datum) const { return {datum, datum.kind != Datum::Nothing, {}}; }
  void say(const std::string &what);

  int threads;
  std::array<int, 3> block;
  Forms forms;
  Guards guards;
  State state;
  std::set<std::string> proved;      // registers
  std::map<std::string, int> arrays; // and variables that are put together
  struct Parts {                     // of one variable
    std::string op;                  // none yet
    std::vector<int> threads;
    auto operator<=>(const Parts &) const = default;
  };
  int numberOf(const Parts &parts);
  int partsTogether(const std::string &op, int a, int b);
  std::map<std::tuple<std::string, int, int>, int> pairsOfParts;
  std::map<Parts, int> partNumbers;
  std::vector<Parts> parts;
  std::map<const Stmt *, Effect> effects;
  Found<Path, Truth, Path> paths;
  Found<Truth, Truth, Truth> truths;
  std::map<std::pair<FormId, OwnNumbers>, Truth> comparisons; // with 0
  int loops = 0, muted = 0;
  bool inInstance = false;
  std::set<std::string> loaded, written;               // arrays: by staged copies, by anyone
  std::map<std::vector<int64_t>, int64_t> broughtFrom; // elements that are copied back: their slots
  std::set<std::string> said;
};

} // namespace nw
