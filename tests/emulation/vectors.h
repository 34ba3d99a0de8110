// CUDA's vector types: plain structs with the alignment of the device. make_float4(...) is an
// object rather than a function, because GCC does not see that the result of a call is stored (see
// hooks.cpp).
#pragma once

#define NESTWARP_VECTORS(type, name, align2, align4)                                               \
  struct name##1 { type x; };                                                                      \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                                  \
  struct name##3 { type x, y, z; };                                                                \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                            \
  struct make_##name##1 : name##1 {make_##name##1(type x) : name##1 {x} {}};                       \
  struct make_##name##2 : name##2 {make_##name##2(type x, type y) : name##2 {x, y} {}};            \
  struct make_##name##3 : name##3 {make_##name##3(type x, type y, type z) : name##3 {x, y, z} {}}; \
  struct make_##name##4                                                                            \
      : name##4 {make_##name##4(type x, type y, type z, type w) : name##4 {x, y, z, w} {}};

NESTWARP_VECTORS(signed char, char, 2, 4)
NESTWARP_VECTORS(unsigned char, uchar, 2, 4)
NESTWARP_VECTORS(short, short, 4, 8)
NESTWARP_VECTORS(unsigned short, ushort, 4, 8)
NESTWARP_VECTORS(int, int, 8, 16)
NESTWARP_VECTORS(long, long, 16, 16)
NESTWARP_VECTORS(unsigned long, ulong, 16, 16)
NESTWARP_VECTORS(long long, longlong, 16, 16)
NESTWARP_VECTORS(unsigned long long, ulonglong, 16, 16)
NESTWARP_VECTORS(float, float, 8, 16)
NESTWARP_VECTORS(double, double, 16, 16)
#undef NESTWARP_VECTORS

struct uint1 {
  unsigned x;
};
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};
struct make_uint1 : uint1 {
  make_uint1(unsigned x) : uint1{x} {}
};
struct make_uint2 : uint2 {
  make_uint2(unsigned x, unsigned y) : uint2{x, y} {}
};
struct make_uint3 : uint3 {
  make_uint3(unsigned x, unsigned y, unsigned z) : uint3{x, y, z} {}
};
struct make_uint4 : uint4 {
  make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) : uint4{x, y, z, w} {}
};
