// Trees in the compact code that the interpreter runs: names are numbers of slots in a frame or of
// arrays, types are resolved to operations, and nodes lie in vectors.
#pragma once
#include "verify/interpreter/memory.h"

namespace nw {

// How an operation computes: C's arithmetic types after promotion, or the prime field.
enum class Kind : uint8_t { I32, U32, I64, U64, F32, F64, Field };

enum class Op : uint8_t {
  Constant,   // word
  Frame,      // the slot word.integer of the frame
  Load,       // the lvalue a
  Coordinate, // thread, threads, lane, block, blocks: word.integer is 3 * which + axis
  Negate,
  Complement,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  ShiftLeft,
  ShiftRight,
  And,
  Or,
  Xor,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Both,
  Either, // && and ||
  Select,
  NonZero,        // of a number
  ToInteger,      // integer to integer
  IntegerToFloat, // from the kind
  FloatToInteger,
  FloatToFloat,
  Minimum,
  Maximum,
  FloorDivide,
  Absolute, // of an integer
  Math,     // a function of math.h: code.calls[a]
  Call,     // a function of the region: code.calls[a]
};

struct ExprNode {
  Op op;
  Kind kind = Kind::I32;     // of the operands
  Scalar type = Scalar::I32; // of the result
  int32_t a = -1, b = -1, c = -1;
  Word word = {0};
};

// One step of an lvalue: `expression` times the stride; dim >= 0 names a dimension of the array,
// whose stride and extent are known only when it is bound.
struct Subscript {
  int32_t expression;
  int32_t dim;
  int64_t stride, extent;
};

// A scalar or struct in the frame or in an array.
struct LValueNode {
  enum Where : uint8_t { InFrame, InArray, Chosen } where = InFrame;
  int32_t base = 0; // slot or array
  int64_t offset = 0;
  int32_t first = 0, count = 0; // of code.subscripts
  int32_t call = -1;            // an expression that leaves its result in the frame first
  int32_t condition = -1, yes = -1, no = -1; // Chosen: one of two lvalues
};

struct StmtNode {
  enum What : uint8_t {
    Block,
    SetFrame,
    Store,
    Copy,
    Clear,
    If,
    For,
    While,
    DoWhile,
    Break,
    Continue,
    Return,
    Barrier,
    GridBarrier,
    Reduce, // of slot a along axis d: slots b and c hold two values, of which expression `first`
            // makes one
  } what = Block;
  Scalar type = Scalar::I32; // For: of the counter
  bool hasBarrier = false, zero = false;
  bool isPromised = false; // For: its iterations are promised to be independent
  int32_t a = -1, b = -1, c = -1, d = -1;
  int32_t first = 0, count = 0; // of code.children
  int32_t weight = 1;           // steps that it counts for
  int64_t step = 1;
};

struct CallNode {
  std::string name;
  uint64_t hash = 0;
  std::vector<int32_t> arguments; // expressions, or -1 - lvalue for structs
  int32_t function = -1;
};

struct FunctionCode {
  std::string name;
  std::vector<int32_t> parameters, widths; // first slots and numbers of slots
  int32_t result = 0, resultWidth = 1;
  int32_t body = -1;
};

// An array that the code refers to.
struct ArrayNode {
  std::string name;
  Type type;
  int64_t width = 1;             // slots of an element
  std::vector<int32_t> extents;  // expressions, -1 where unknown
  std::vector<int64_t> constant; // of shared arrays
  bool isShared = false;
};

struct Code {
  std::vector<ExprNode> exprs;
  std::vector<Subscript> subscripts;
  std::vector<LValueNode> lvalues;
  std::vector<StmtNode> stmts;
  std::vector<int32_t> children;
  std::vector<CallNode> calls;
  std::vector<FunctionCode> functions;
  std::vector<ArrayNode> arrays;
  int32_t frameSize = 0;
  bool wraps = false; // signed arithmetic does, and is defined
};

} // namespace nw
