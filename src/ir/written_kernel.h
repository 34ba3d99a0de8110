// A CUDA kernel as it is written, for what looks at kernels and changes nothing: trees that have a
// node for everything, also for shared memory, barriers and atomics, which trees of nests (tree.h)
// do not. What has no node of its own is Other: its value is not known, its operands are.
#pragma once
#include "support/location.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nw::written {

struct Node;
using NodeP = std::shared_ptr<const Node>;

enum class Kind {
  // Values.
  Number,   // integer
  Index,    // name: threadIdx.x, blockIdx.y, blockDim.z, gridDim.x
  Address,  // of the lvalue args[0]; also what an array becomes
  Load,     // what the lvalue args[0] holds; `integer`: of a pointer, the bytes of an element
  Pointer,  // args[0], a pointer, as one to elements of `bytes`
  Operator, // name; args are one, two, or the three of ?:
  Call,     // name(args); `function`: its body in the file, if that is there
  Other,    // operands, in order
  // Lvalues.
  Variable, // variable
  Element,  // args[0], a pointer, [args[1]]
  Member,   // args[0], an lvalue, .name, which begins `integer` bytes in
  // Effects.
  Assign, // args[0] = args[1]; with a name: that operator before the =
  // Statements. Missing parts are null.
  Block,
  Declare, // variable, perhaps with args[0] as its value
  If,      // args: condition, then, else
  Loop,    // args: condition, step, body; what comes before a for stands before it
  Switch,  // args: value, body
  Return,  // perhaps with args[0]
  Leave,   // break, continue
};

struct Node {
  Kind kind = Kind::Other;
  std::vector<NodeP> args;
  std::string name;
  std::string type; // of an lvalue: the type of what is there, as C++ spells it
  int64_t integer = 0;
  int64_t bytes = 0;       // of an element of a pointer, of what an lvalue holds
  int variable = -1;       // in Kernel::variables
  int function = -1;       // in Kernel::functions
  bool isVolatile = false; // of an lvalue
  bool isOld = false;      // of an Assign: the value is the one from before, as in i++
  bool isFirst = false;    // of a Loop: the body comes before the condition
  Location at;             // the token that messages point at
  int length = 1;          // columns of what stands there, on the line
};

enum class Space { Local, Shared, Global, Constant };

struct Variable {
  std::string name, type;
  Space space = Space::Local;
  bool isParameter = false; // of the kernel
  bool isInteger = false, isPointer = false, isRestrict = false;
  int64_t bytes = 0;        // in all; 0: not known here, as for extern __shared__
  int64_t elementBytes = 0; // of a pointer: what it points at
  int uses = 0;             // where it is named
  Location at;
  int length = 1;
};

struct Function {
  std::string name;
  std::vector<int> parameters; // variables
  NodeP body;                  // null: it was not read
};

struct Launch {
  std::array<int64_t, 3> block = {0, 0, 0}; // 0: not known
  int64_t sharedBytes = 0;                  // asked for at the launch; -1: not known
  Location at;                              // of the block's shape
  int length = 1;
};

struct Kernel {
  std::string name;
  Location at;
  int length = 1;
  std::vector<Variable> variables;
  std::vector<Function> functions; // the kernel first, then what it calls
  std::vector<Launch> launches;
  int64_t annotatedThreads = 0; // as an annotation says; 0: none does
  Location annotatedAt;
  int annotatedLength = 1;
  int64_t boundThreads = 0; // of __launch_bounds__; 0: none
  std::string unread;       // why it could not be read; empty: it was
  Location unreadAt;
};

struct File {
  std::string file, source;
  bool failed = false; // errors, which have been said
  std::vector<Kernel> kernels;
};

} // namespace nw::written
