// Typed trees of expressions and statements: what the source says, in its own types. Nodes are
// immutable and shared. The same expressions appear in statement bodies, in bounds, and in kernels.
#pragma once
#include "ir/type.h"
#include "support/location.h"
#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace nw {

struct Expr;
struct Stmt;
using ExprP = std::shared_ptr<const Expr>;
using StmtP = std::shared_ptr<const Stmt>;

enum class ExprKind {
  Int,    // integer
  Float,  // number
  Var,    // name: a scalar variable, an iterator, or the base of an array
  Index,  // args[0][args[1]]
  Member, // args[0].name
  Unary,  // name: - ~ !
  Binary, // name: + - * / % << >> & | ^ < <= > >= == != && ||
  Select, // args[0] ? args[1] : args[2]
  Cast,   // (type) args[0]
  Call,   // name(args...): a function of math.h, or a device function of the program
  Min,
  Max,      // of two integers; made by lowering only
  FloorDiv, // by a positive constant; made by lowering only
  Builtin,  // name: a thread or block coordinate; made by lowering only
  Staged,   // args[0], a copy in faster memory, holds what args[1] has in memory; made by lowering
            // only
};

struct Expr {
  ExprKind kind;
  Type type;
  std::string name;
  std::vector<ExprP> args;
  int64_t integer = 0;
  double number = 0;
  Location at;
};

ExprP intConst(int64_t value, Type type = kI64);
ExprP floatConst(double value, Type type);
ExprP var(std::string name, Type type);
ExprP index(ExprP base, ExprP subscript, Type type);
ExprP member(ExprP base, std::string field, Type type);
ExprP unary(std::string op, ExprP a, Type type);
ExprP binary(std::string op, ExprP a, ExprP b, Type type);
ExprP select(ExprP cond, ExprP a, ExprP b, Type type);
ExprP cast(ExprP a, Type type);
ExprP call(std::string name, std::vector<ExprP> args, Type type);
ExprP node(ExprKind kind, std::vector<ExprP> args, Type type, std::string name = {});
ExprP staged(ExprP copy, ExprP element);
ExprP at(ExprP e, Location where);
// The type that C gives the printed expression: operands are promoted and converted, whatever type
// a node claims.
Scalar valueType(const ExprP &e);

enum class StmtKind {
  Block,   // body; in kernels, with a name and values: one instance of the statement `name`
  Declare, // name: type with extents; exprs are the initial values (array: row by row)
  Assign,  // exprs[0] = exprs[1]
  If,      // exprs[0]; body[0], and body[1] for else; see isSpeculated
  For,     // a counted loop, see Loop; body[0]
  While,   // exprs[0]; body[0]
  DoWhile, // body[0]; exprs[0]
  Break,
  Continue,
  Return,      // exprs[0] (device functions only)
  Barrier,     // all threads of the block; made by lowering only, like the next two
  GridBarrier, // all threads of the grid
  Shared,      // name: type with extents, in the block's shared memory
  Reduce,      // name: a variable; threads of the block that differ along one axis only, or all of
               // them, put theirs together, see Collective
  Window, // a section of an array in a thread's own variable while body[0] runs, see Section; made
          // by lowering only
  Copy, // exprs[0] = exprs[1], where exprs[2] holds if there is one, at each position of a box, see
        // BoxCopy; made by lowering only
  Keep, // exprs[1…], elements of arrays, are in registers of the thread while body[0], a loop,
        // runs. All of it is done where exprs[0] holds: nothing is loaded or stored elsewhere. Made
        // by lowering only
  Leave, // exprs[1] becomes a partial result in exprs[0], a buffer, where the next launch takes it;
         // see kernel/partial_results.h. Made by lowering only, like the next
  Take,  // exprs[0] takes in all partial results in exprs[1], a buffer, that blocks have left
};

// What the source says about a loop beside its text.
enum class Promise {
  None,        // the analysis decides
  Independent, // iterations do not touch the same elements of arrays, unless all of them only read
  InOrder,     // one iteration after the other, even where that is not needed
};

// reduction(op: variable): iterations only reduce into the variable.
struct ReductionClause {
  std::string op, variable; // + * max min & | ^ && ||
  Location at;
};

// Of a loop whose values the threads of a block take in turns, those along x side by side: `start`
// is [first +] local.x, `step` the number of threads, the condition counter < [first +] turns *
// threads. Variables that are dealt out (see Stmt::owners) have an element for each value, at
// counter - first. See kernel/cyclic_loop.h.
struct CyclicMapping {
  std::string turn; // the counter of a thread's values
  int turns = 0;    // how many of them a thread has; 0: the loop is not mapped
  bool operator==(const CyclicMapping &) const = default;
};

// Of a loop whose values a row of the block's threads share out, so that each takes those that lie
// at its own place in a line of memory: `start` is [first +] local.x, `step` the number of threads
// in the row, and value v is that of thread (before + v - first) % step instead of (v - first) %
// step. See kernel/line_loop.h.
struct LineMapping {
  ExprP before;      // null: the first thread takes the first value
  std::string begin; // the variable of a thread's first value, which may lie before the loop's
};

// for (counter = start; condition; counter += step). The step is a non-zero constant.
struct Loop {
  std::string counter;
  Type type;
  ExprP start, condition;
  int64_t step = 1;
  ExprP stride; // instead of `step` in kernels, where a thread skips what others do
  bool isUnrolled =
      false; // in the emitted text: its counter becomes a number, so that it may select registers
  int unroll =
      0; // how many iterations the device's compiler is asked to take at once; 0: as it likes
  CyclicMapping cyclic;
  LineMapping line;
  Promise promise = Promise::None;
  std::vector<ReductionClause> reductions;
};

// How a Reduce puts values together. Afterwards each of the threads has the result; all threads of
// the block must get there.
struct Collective {
  std::string op; // + * & | ^, fmin or fmax, < for the smaller and > for the larger
  int axis = 0;   // 0: along x, 1: along y, kAllThreads: of the whole block
};
constexpr int kAllThreads = 2, kOneThread = -1; // the latter of a Take: each thread alone

// Of a window: the variable `name`, of `extents` elements, stands for the elements of an array from
// exprs[0] on. Those that it loads are there at the beginning; what it stores is in the array at
// the end.
struct Section {
  bool loads = false, stores = false;
  int64_t unit =
      1; // most elements that one access moves; it lies at a multiple of as many elements
};

// Of a Copy: the block's threads share out the positions of a box of `extents`, the last counter
// running fastest. `type` is that of the counters; `name` begins the names of what it is expanded
// to.
struct BoxCopy {
  std::vector<std::string> counters;   // of the positions, one for each extent
  std::array<int, 2> threads = {1, 1}; // of the block, along x and y
  int64_t unit = 1;                    // neighbours along the last counter that a thread takes
  int64_t width = 1;                   // how many of them one access to memory moves
  bool operator==(const BoxCopy &) const = default;
};

struct Stmt {
  StmtKind kind;
  std::vector<StmtP> body;
  std::vector<ExprP> exprs;
  std::string name;
  Type type;
  std::vector<int64_t> extents;
  Loop loop;
  Collective collective;
  Section section;
  BoxCopy copy;
  std::vector<ExprP>
      values; // of an instance: its iterators, as functions of the variables around it
  std::string
      copyOf; // Declare: the variable of the Program that this one stands for under another name
  Location at;
  int64_t owners = 0; // of a Declare: the variable is dealt out to so many threads of the block,
                      // element n to thread n % owners; 0: each thread has all of it
  bool isSpeculated = false; // of an If: its code is run without asking, since nobody looks at what
                             // it does where the condition does not hold
  bool isAsync = false; // of an Assign or a Copy to shared memory: it may be done any time before
                        // the thread's next barrier; of a Block: its loads are to be under way
                        // while what follows is computed
  bool isInstance() const { return kind == StmtKind::Block && !name.empty(); }
};

// Whether exprs[0] is what the statement writes.
bool writesFirst(StmtKind kind);

StmtP block(std::vector<StmtP> body);
// The code of one instance of a statement: what it is told, for the checks that follow.
StmtP instanceBlock(std::string statement, std::vector<ExprP> values, std::vector<StmtP> body);
StmtP assign(ExprP target, ExprP value, Location at = {});
StmtP ifElse(ExprP cond, StmtP then, StmtP otherwise = nullptr, Location at = {});
StmtP declare(std::string name, Type type, std::vector<int64_t> extents, std::vector<ExprP> init,
              Location at = {});

StmtP forLoop(std::string counter, Type type, ExprP start, ExprP condition, ExprP stride,
              StmtP body);
StmtP marker(StmtKind kind);

// Calls `visit` on the expression and everything below it, parents first; stops descending where it
// returns false.
void walk(const ExprP &e, const std::function<bool(const ExprP &)> &visit);
// The same for all expressions of a statement tree.
void walkExprs(const StmtP &s, const std::function<bool(const ExprP &)> &visit);
void walkStmts(const StmtP &s, const std::function<void(const StmtP &)> &visit);

// Rebuilds a tree bottom-up: `change` gets each node with its operands already rewritten.
ExprP rewrite(const ExprP &e, const std::function<ExprP(const ExprP &)> &change);
StmtP rewriteExprs(const StmtP &s, const std::function<ExprP(const ExprP &)> &change);

// The variable at the bottom of A[i][j].f, or nullptr when the base is not a variable.
// Of what is staged: the variable in faster memory.
const Expr *baseOf(const ExprP &lvalue);
bool sameTree(const ExprP &a, const ExprP &b);
bool mentions(const ExprP &e, const std::string &name);
bool mentions(const StmtP &s, const std::string &name);

// Questions that readers of trees ask.
bool isVar(const ExprP &e, const std::string &name);
bool isBuiltin(const ExprP &e, const std::string &name);
bool isComparison(const ExprP &e);
// The expression below conversions of integers to 32 bits or more.
const ExprP &withoutWideCasts(const ExprP &e);
// The array of A[i][j], and its subscripts from left to right; nullptr where it is no such element.
const Expr *elementOf(const ExprP &e, std::vector<ExprP> &subscripts);

} // namespace nw
