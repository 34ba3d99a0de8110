// Lengths: arithmetic, comparison and text.
#include "ir/share_length.h"
#include "support/diagnostics.h"
#include <fmt/format.h>

namespace nw::share {

std::string text(const Shape &s) {
  return s.z > 1 ? fmt::format("{}x{}x{}", s.x, s.y, s.z) : fmt::format("{}x{}", s.x, s.y);
}

static Length combined(Length::Kind kind, const Length &a, const Length &b) {
  if (a.isAny() || b.isAny())
    throw InternalError{"share: '*' means any length and cannot be part of an expression"};
  return {kind, 0, {a, b}};
}

Length operator+(const Length &a, const Length &b) { return combined(Length::Sum, a, b); }
Length operator-(const Length &a, const Length &b) { return combined(Length::Difference, a, b); }
Length operator*(const Length &a, const Length &b) { return combined(Length::Product, a, b); }
Length operator/(const Length &a, const Length &b) { return combined(Length::Quotient, a, b); }

std::optional<int64_t> valueAt(const Length &l, const Shape &shape) {
  switch (l.kind) {
  case Length::Any:
    return std::nullopt;
  case Length::Number:
    return l.number;
  case Length::ThreadsX:
    return shape.x;
  case Length::ThreadsY:
    return shape.y;
  case Length::ThreadsZ:
    return shape.z;
  default:
    break;
  }
  std::optional<int64_t> a = valueAt(l.parts[0], shape), b = valueAt(l.parts[1], shape);
  if (!a || !b)
    return std::nullopt;
  int64_t result = 0;
  bool overflows = false;
  switch (l.kind) {
  case Length::Sum:
    overflows = __builtin_add_overflow(*a, *b, &result);
    break;
  case Length::Difference:
    overflows = __builtin_sub_overflow(*a, *b, &result);
    break;
  case Length::Product:
    overflows = __builtin_mul_overflow(*a, *b, &result);
    break;
  default:
    if (*b == 0 || (*b == -1 && *a == INT64_MIN))
      return std::nullopt;
    result = *a / *b;
  }
  return overflows ? std::nullopt : std::optional(result);
}

bool isSame(const Length &a, const Length &b) {
  if (a.isAny() || b.isAny())
    return a.isAny() && b.isAny();
  for (int64_t x = 1; x <= 1024; x *= 2)
    for (int64_t y = 1; y <= 1024; y *= 2)
      for (int64_t z = 1; z <= 1024; z *= 2)
        if (valueAt(a, {x, y, z}) != valueAt(b, {x, y, z}))
          return false;
  return true;
}

static int strength(const Length &l) {
  return l.kind == Length::Sum || l.kind == Length::Difference     ? 1
         : l.kind == Length::Product || l.kind == Length::Quotient ? 2
                                                                   : 3;
}

std::string text(const Length &l) {
  auto part = [&](size_t k) {
    bool needsParentheses = strength(l.parts[k]) < strength(l) + int(k);
    return needsParentheses ? "(" + text(l.parts[k]) + ")" : text(l.parts[k]);
  };
  switch (l.kind) {
  case Length::Any:
    return "*";
  case Length::Number:
    return std::to_string(l.number);
  case Length::ThreadsX:
    return "TB_X";
  case Length::ThreadsY:
    return "TB_Y";
  case Length::ThreadsZ:
    return "TB_Z";
  case Length::Sum:
    return part(0) + " + " + part(1);
  case Length::Difference:
    return part(0) + " - " + part(1);
  case Length::Product:
    return part(0) + "*" + part(1);
  case Length::Quotient:
    return part(0) + "/" + part(1);
  }
  return "";
}

} // namespace nw::share
