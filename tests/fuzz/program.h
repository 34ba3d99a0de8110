// The fuzzer's own representation of a C function over arrays: what the generator makes, the
// analysis judges, the shrinker cuts, and render prints. Values, so that a candidate of the
// shrinker is a changed copy.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nw::fuzz {

// Plain char is one of the last two, as the program's flags say.
enum class ElementType {
  SignedChar,
  Short,
  Int,
  Unsigned,
  LongLong,
  Float,
  Double,
  CharWithSign,
  CharWithoutSign
};

inline bool isFloat(ElementType t) { return t == ElementType::Float || t == ElementType::Double; }
std::string cName(ElementType t);
int bytesOf(ElementType t);
// Whether C computes with it as an int.
bool isPromoted(ElementType t);

// A sum of counters and sizes with integer factors.
struct Affine {
  std::map<std::string, int> terms;
  int constant = 0;
  Affine() = default;
  explicit Affine(int c) : constant(c) {}
  Affine(const std::string &name, int c) : terms{{name, 1}}, constant(c) {}
  bool operator==(const Affine &) const = default;
};
Affine operator+(const Affine &a, const Affine &b);
Affine operator*(int factor, const Affine &a);

struct Expr;

enum class SubscriptKind { Plain, Quotient, Remainder, Data };

struct Subscript {
  SubscriptKind kind = SubscriptKind::Plain;
  Affine affine;
  int divisor = 1;        // of a quotient or remainder
  std::vector<Expr> data; // one expression, of Data
};

// An element of an array, a scalar (no subscripts), or a field of either.
struct Access {
  std::string storage;
  std::vector<Subscript> subscripts;
  std::string field;
};

enum class ExprKind {
  Literal, // `literal` of type `type`
  Counter, // an affine expression as a value
  Read,    // access
  Unary,   // op: - ~ !
  Binary,  // op of C
  Select,  // args[0] ? args[1] : args[2]
  Cast,    // (type) args[0]
  Clamp,   // floating point: args[0] limited to -literal .. literal, by fmin and fmax
  Minimum, // of two floating-point values, by fmin
  Maximum,
  Helper, // the function of the file: (args[0] * 3 + args[1]) & 255, of two ints
};

struct Expr {
  ExprKind kind = ExprKind::Literal;
  ElementType type = ElementType::Int; // of Literal, Cast
  std::string op;
  std::vector<Expr> args;
  Affine affine;
  Access access;
  long long literal = 0;
};

// A loop over lower <= counter < every one of upper; with a negative step it begins at the top.
struct Loop {
  std::string counter;
  Affine lower;
  std::vector<Affine> upper; // one or two; with a negative step the second is a second lower bound
  int step = 1;
  bool inclusive = false;   // written with <= or >
  bool isOutside = false;   // the counter is declared at the top of the function
  std::string type = "int"; // or long, unsigned
};

enum class StmtKind {
  Assign,       // target = value
  Accumulate,   // target op= value; op: + - * & | ^ min max
  If,           // condition; body, otherwise
  For,          // loop; body
  Declare,      // target.storage, private, with the initial value
  DeclareArray, // target.storage, private; the loop sets all its elements to the value
  Continue,     // if (condition) continue;
};

struct Stmt {
  StmtKind kind = StmtKind::Assign;
  Access target;
  std::string op;
  int form = 0;                       // of an accumulation: which spelling
  std::vector<Expr> value, condition; // none or one
  std::vector<Stmt> body, otherwise;
  Loop loop;
};

enum class Layout {
  Fixed,    // parameter T A[10][20]
  Global,   // static T A[10][20]
  Variable, // parameter T A[n][m]
  Pointer,  // parameter T *A, one dimension, or (*A)[20]
  Flat,     // parameter T *A, subscripts flattened by the program
  Local,    // scalar of the function, written to the array `results` at its end
  Private,  // declared in a loop, by Declare or DeclareArray
};

struct Field {
  std::string name;
  ElementType type;
};

struct Storage {
  std::string name;
  ElementType type = ElementType::Int;
  Layout layout = Layout::Pointer;
  int dimensions = 1;
  std::vector<Field> fields; // a struct if not empty
  bool accumulates = false;  // sums are collected in it, so that values may be large
  bool isIndex = false;      // ints of 0 .. 7, never written
  int privateExtent = 0;
};

struct Program {
  uint64_t seed = 0;
  std::string name = "kernel";
  std::vector<std::string> sizes; // n, m, w
  int largestSize = 12;
  bool charIsUnsigned = false; // -funsigned-char
  bool wraps = false;          // -fwrapv: int overflows, and wraps around
  std::vector<Storage> storages;
  std::vector<Stmt> body;

  const Storage *find(const std::string &storage) const;
  // Flags for the C compiler and for nestwarp.
  std::vector<std::string> flags() const;
  // Whether sums in the type may wrap around.
  bool mayWrap(ElementType t) const;
};

} // namespace nw::fuzz
