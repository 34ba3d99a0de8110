// Lengths of sub-arrays and of pieces of loops, as the paper share writes them (its Figure 1):
// integers, the sides of a thread block TB_X, TB_Y and TB_Z, expressions of them, or `*` for any
// length up to the extent.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::share {

// The sides of a thread block.
struct Shape {
  int64_t x = 1, y = 1, z = 1;
  int64_t threads() const { return x * y * z; }
  bool operator==(const Shape &) const = default;
};

std::string text(const Shape &shape); // 32x8, 32x8x2

struct Length {
  enum Kind {
    Any,
    Number,
    ThreadsX,
    ThreadsY,
    ThreadsZ,
    Sum,
    Difference,
    Product,
    Quotient
  } kind = Any;
  int64_t number = 0;        // of Number
  std::vector<Length> parts; // the two operands of the last four
  bool isAny() const { return kind == Any; }
};

inline Length anyLength() { return {}; }
inline Length number(int64_t value) { return {Length::Number, value, {}}; }
inline Length threadsX() { return {Length::ThreadsX, 0, {}}; }
inline Length threadsY() { return {Length::ThreadsY, 0, {}}; }
inline Length threadsZ() { return {Length::ThreadsZ, 0, {}}; }
// Throws InternalError where an operand is `*`: that is not a number.
Length operator+(const Length &a, const Length &b);
Length operator-(const Length &a, const Length &b);
Length operator*(const Length &a, const Length &b);
Length operator/(const Length &a, const Length &b);

// Nothing for `*`, for a division by zero, and for results beyond 64 bits.
std::optional<int64_t> valueAt(const Length &length, const Shape &shape);
// Whether both have the same value in every block with sides that are powers of two up to 1024. `*`
// is only like `*`.
bool isSame(const Length &a, const Length &b);
std::string text(const Length &length); // C's precedence: (TB_X + 2)*4

} // namespace nw::share
