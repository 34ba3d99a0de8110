// Functions that kernels call without an include: rounding as written, bits, and the device's fast
// functions (here as exact as the host's).
#pragma once
#include <cmath>
#include <cstring>
#include <type_traits>

// ---- arithmetic that is never contracted; the barrier for the compiler is the call itself
// (-ffp-contract=off as well)

#define NESTWARP_ROUNDED(name, type, expression)                                                   \
  inline type name(type a, type b) {                                                               \
    volatile type result = expression;                                                             \
    return result;                                                                                 \
  }
NESTWARP_ROUNDED(__fadd_rn, float, a + b)
NESTWARP_ROUNDED(__fsub_rn, float, a - b)
NESTWARP_ROUNDED(__fmul_rn, float, a *b)
NESTWARP_ROUNDED(__fdiv_rn, float, a / b)
NESTWARP_ROUNDED(__dadd_rn, double, a + b)
NESTWARP_ROUNDED(__dsub_rn, double, a - b)
NESTWARP_ROUNDED(__dmul_rn, double, a *b)
NESTWARP_ROUNDED(__ddiv_rn, double, a / b)
#undef NESTWARP_ROUNDED
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline float __frcp_rn(float a) { return 1 / a; }
inline double __drcp_rn(double a) { return 1 / a; }
inline float __frsqrt_rn(float a) { return 1 / std::sqrt(a); }

// ---- fast functions

inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return std::exp(a); }
inline float __exp10f(float a) { return std::pow(10.0f, a); }
inline float __logf(float a) { return std::log(a); }
inline float __log2f(float a) { return std::log2(a); }
inline float __log10f(float a) { return std::log10(a); }
inline float __sinf(float a) { return std::sin(a); }
inline float __cosf(float a) { return std::cos(a); }
inline float __tanf(float a) { return std::tan(a); }
inline float __powf(float a, float b) { return std::pow(a, b); }
inline float __saturatef(float a) { return a < 0 ? 0 : a > 1 ? 1 : a; }
inline float rsqrtf(float a) { return 1 / std::sqrt(a); }
inline double rsqrt(double a) { return 1 / std::sqrt(a); }

// ---- bits

template <class To, class From> To nestwarp_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}
inline float __int_as_float(int a) { return nestwarp_bits<float>(a); }
inline float __uint_as_float(unsigned a) { return nestwarp_bits<float>(a); }
inline int __float_as_int(float a) { return nestwarp_bits<int>(a); }
inline unsigned __float_as_uint(float a) { return nestwarp_bits<unsigned>(a); }
inline double __longlong_as_double(long long a) { return nestwarp_bits<double>(a); }
inline long long __double_as_longlong(double a) { return nestwarp_bits<long long>(a); }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a ? __builtin_clz(a) : 32; }
inline int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned __brev(unsigned a) {
  unsigned result = 0;
  for (int k = 0; k < 32; k++)
    result |= (a >> k & 1) << (31 - k);
  return result;
}
inline int __mul24(int a, int b) { return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8)); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((unsigned long long)a * b >> 32);
}

// ---- loads with hints, minimum and maximum

template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldca(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> void __stcg(T *p, T value) { *p = value; }
template <class T> void __stcs(T *p, T value) { *p = value; }

template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return T(a) < T(b) ? T(b) : T(a);
}
