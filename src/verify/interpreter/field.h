// The prime field of 2^61 - 1 elements, which stands for floating-point numbers where sums and
// products may be reassociated: equal polynomials have equal values, different ones hardly ever.
// Elements are ordered as integers; values outside the field stand for the infinities and NaN.
#pragma once
#include <cmath>
#include <cstdint>
#include <string_view>

namespace nw::field {

constexpr int64_t kPrime = (int64_t(1) << 61) - 1;
constexpr int64_t kInfinity = kPrime, kMinusInfinity = -1, kNaN = kPrime + 1;

// A good mixture of the bits.
inline uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
inline uint64_t mixed(uint64_t a, uint64_t b) {
  return mixed(mixed(a) ^ (b * 0x9e3779b97f4a7c15ull + 0x1234567));
}
inline uint64_t mixed(std::string_view text) {
  uint64_t x = text.size();
  for (unsigned char c : text)
    x = mixed(x, c);
  return x;
}

inline bool isFinite(int64_t a) { return a >= 0 && a < kPrime; }
inline int64_t reduced(uint64_t x) { // of any 64 bits
  x = (x & uint64_t(kPrime)) + (x >> 61);
  return int64_t(x >= uint64_t(kPrime) ? x - uint64_t(kPrime) : x);
}
inline int64_t fromInteger(int64_t n) {
  return n >= 0 ? reduced(uint64_t(n))
                : reduced(uint64_t(kPrime) - uint64_t(reduced(0 - uint64_t(n))));
}
inline int64_t fromUnsigned(uint64_t n) { return reduced(n); }
inline int64_t fromHash(uint64_t h) { return reduced(h); }

inline int64_t plainAdd(int64_t a, int64_t b) {
  int64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
inline int64_t plainMultiply(int64_t a, int64_t b) {
  unsigned __int128 product = (unsigned __int128)a * (unsigned __int128)b;
  return plainAdd(int64_t(uint64_t(product) & uint64_t(kPrime)), int64_t(uint64_t(product >> 61)));
}

// What it is with an operand that is no number of the field: NaN, or that infinity.
inline int64_t outside(int64_t a, int64_t b) {
  return a == kNaN || b == kNaN ? kNaN : isFinite(a) ? b : a;
}

inline int64_t negated(int64_t a) {
  if (a == kNaN)
    return a;
  if (!isFinite(a))
    return a == kInfinity ? kMinusInfinity : kInfinity;
  return a ? kPrime - a : 0;
}
inline int64_t add(int64_t a, int64_t b) {
  if (isFinite(a) && isFinite(b))
    return plainAdd(a, b);
  return outside(a, b);
}
inline int64_t subtract(int64_t a, int64_t b) { return add(a, negated(b)); }
inline int64_t multiply(int64_t a, int64_t b) {
  if (isFinite(a) && isFinite(b))
    return plainMultiply(a, b);
  return outside(a, b);
}

// As fmin and fmax do.
inline int64_t smaller(int64_t a, int64_t b) { // NaN is above all
  return a < b ? a : b;
}
inline int64_t larger(int64_t a, int64_t b) { return a == kNaN || (b != kNaN && a < b) ? b : a; }

inline int64_t power(int64_t a, uint64_t exponent) {
  int64_t result = 1;
  for (; exponent; exponent >>= 1, a = plainMultiply(a, a))
    if (exponent & 1)
      result = plainMultiply(result, a);
  return result;
}
inline int64_t divide(int64_t a, int64_t b) {
  if (!isFinite(a) || !isFinite(b))
    return a == kNaN || b == kNaN ? kNaN : isFinite(a) ? 0 : a;
  return b ? plainMultiply(a, power(b, uint64_t(kPrime) - 2)) : fromHash(mixed(uint64_t(a), 0xd1));
}

// Every double is an integer times a power of two, and so has its place in the field.
inline int64_t fromDouble(double x) {
  if (std::isinf(x))
    return x > 0 ? kInfinity : kMinusInfinity;
  if (std::isnan(x))
    return kNaN;
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  int64_t mantissa = int64_t(std::ldexp(fraction, 53)); // |x| = mantissa * 2^(exponent - 53)
  int shift = (exponent - 53) % 61;
  return plainMultiply(fromInteger(mantissa),
                       int64_t(1) << (shift < 0 ? shift + 61 : shift)); // 2 has the order 61
}

// Small integers come back as themselves; anything else becomes a small number that depends on
// nothing but the element.
inline int64_t toInteger(int64_t a) {
  constexpr int64_t kSmall = int64_t(1) << 31;
  if (a >= 0 && a < kSmall)
    return a;
  if (isFinite(a) && a > kPrime - kSmall)
    return a - kPrime;
  return int64_t(mixed(uint64_t(a), 0x1f) % 8);
}

} // namespace nw::field
