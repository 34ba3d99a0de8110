// Types of values: the arithmetic types of C by size and sign, and structs by name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nw {

// Plain `char` is I8 or U8, as the host's C compiler has it.
enum class Scalar { Void, Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };

// A value type: an arithmetic type, or the struct called `structName`.
struct Type {
  Scalar scalar = Scalar::I32;
  std::string structName;
  bool operator==(const Type &) const = default;
  bool isStruct() const { return !structName.empty(); }
  bool isFloat() const { return !isStruct() && (scalar == Scalar::F32 || scalar == Scalar::F64); }
  bool isInteger() const { return !isStruct() && !isFloat() && scalar != Scalar::Void; }
};

inline Type typeOf(Scalar s) { return Type{s, {}}; }
inline const Type kI32 = typeOf(Scalar::I32), kI64 = typeOf(Scalar::I64),
                  kBool = typeOf(Scalar::Bool);

bool isUnsigned(Scalar s);
// C's integer promotion, and the type in which it computes with two values.
Scalar promoted(Scalar s);
Scalar commonType(Scalar a, Scalar b);
int bitsOf(Scalar s);
int bytesOf(Scalar s);
// Smallest and largest value of an integer type of at most 64 bits, as decimal text (U64 needs more
// than int64).
std::string lowestOf(Scalar s);
std::string highestOf(Scalar s);
// The C spelling, as in `unsigned char`.
std::string cName(Scalar s);
std::string cName(const Type &t);

// A field of a struct; `extents` are the constant extents of an array field.
struct Field {
  std::string name;
  Type type;
  std::vector<int64_t> extents;
};

// A struct whose layout is the natural one, so that host and device agree on it.
struct Struct {
  std::string name;
  std::vector<Field> fields;
  int64_t size = 0;
};

} // namespace nw
