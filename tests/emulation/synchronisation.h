// Barriers, operations of warps, atomics and asynchronous copies.
#pragma once
#include "scheduler.h"
#include <cstring>
#include <type_traits>

// Macros, so that reports can name the line of the text.
#define __syncthreads() emulation::barrier(__LINE__)
#define __syncthreads_count(vote) (emulation::barrierVotes(__LINE__, (vote) != 0).yes)
#define __syncthreads_or(vote) (emulation::barrierVotes(__LINE__, (vote) != 0).yes != 0)
#define __syncthreads_and(vote)                                                                    \
  (emulation::allAgree(emulation::barrierVotes(__LINE__, (vote) != 0)))
#define __syncwarp(...) emulation::syncWarp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(...) emulation::shuffle(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) emulation::shuffleUp(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) emulation::shuffleDown(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) emulation::shuffleXor(__LINE__, __VA_ARGS__)
#define __ballot_sync(mask, vote) emulation::ballot(__LINE__, mask, (vote) != 0)
#define __any_sync(mask, vote) (emulation::ballot(__LINE__, mask, (vote) != 0) != 0)
#define __all_sync(mask, vote) emulation::allLanes(__LINE__, mask, (vote) != 0)
#define __reduce_add_sync(mask, value)                                                             \
  emulation::reduce(__LINE__, mask, value, [](auto a, auto b) { return a + b; })
#define __reduce_min_sync(mask, value)                                                             \
  emulation::reduce(__LINE__, mask, value, [](auto a, auto b) { return b < a ? b : a; })
#define __reduce_max_sync(mask, value)                                                             \
  emulation::reduce(__LINE__, mask, value, [](auto a, auto b) { return a < b ? b : a; })
#define __activemask() emulation::liveLanes()
#define __nanosleep(time) ((void)(time), emulation::spin())

inline void __threadfence() { emulation::fence(); }
inline void __threadfence_block() {}
inline void __threadfence_system() { emulation::fence(); }

namespace emulation {

inline bool allAgree(Votes v) { return v.yes == v.all; }
inline void syncWarp(int line, unsigned mask = 0xffffffffu) { meet(line, mask, 0); }

template <class T> T shuffleFrom(int line, unsigned mask, T value, unsigned source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  std::memcpy(&value, &meet(line, mask, bits).value[source], sizeof value);
  return value;
}
template <class T> T shuffle(int line, unsigned mask, T value, int source, int width = warpSize) {
  unsigned begin = lane() & ~unsigned(width - 1);
  return shuffleFrom(line, mask, value, begin + (source & (width - 1)));
}
template <class T>
T shuffleUp(int line, unsigned mask, T value, unsigned by, int width = warpSize) {
  unsigned inside = lane() & (width - 1);
  return shuffleFrom(line, mask, value, inside < by ? lane() : lane() - by);
}
template <class T>
T shuffleDown(int line, unsigned mask, T value, unsigned by, int width = warpSize) {
  unsigned inside = lane() & (width - 1);
  return shuffleFrom(line, mask, value, inside + by >= unsigned(width) ? lane() : lane() + by);
}
template <class T> T shuffleXor(int line, unsigned mask, T value, int with, int width = warpSize) {
  unsigned source = lane() ^ with, end = (lane() | (width - 1)) + 1;
  return shuffleFrom(line, mask, value, source >= end ? lane() : source);
}
inline unsigned ballot(int line, unsigned mask, bool vote) {
  const Meeting &m = meet(line, mask, vote);
  unsigned result = 0;
  for (int k = 0; k < warpSize; k++)
    result |= unsigned((m.lanes >> k & 1) && m.value[k]) << k;
  return result;
}
inline bool allLanes(int line, unsigned mask, bool vote) { return ballot(line, mask, !vote) == 0; }
template <class T, class Reduce> T reduce(int line, unsigned mask, T value, Reduce reduction) {
  Meeting m = meet(line, mask, uint64_t(value));
  bool first = true;
  for (int k = 0; k < warpSize; k++)
    if (m.lanes >> k & 1) {
      value = first ? T(m.value[k]) : reduction(value, T(m.value[k]));
      first = false;
    }
  return value;
}

// Sees each atomic operation; see hooks.cpp.
void atomicAccess(const volatile void *address, unsigned bytes);

template <class T, class Change>
__attribute__((no_sanitize("thread"), no_sanitize_coverage)) T atomically(T *p, Change change) {
  atomicAccess(p, sizeof(T));
  for (;;) {
    T old = *p, next = change(old);
    if (std::memcmp(p, &old, sizeof old) == 0) { // other lanes may have run inside of `change`
      *p = next;
      return old;
    }
  }
}

} // namespace emulation

template <class T>
using nestwarp_same = typename std::enable_if<true, T>::type; // takes no part in deduction

template <class T> T atomicAdd(T *p, nestwarp_same<T> v) {
  if constexpr (std::is_integral_v<T>)
    return emulation::atomically(
        p, [=](T old) { return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(v)); });
  else
    return emulation::atomically(p, [=](T old) { return old + v; });
}
template <class T> T atomicSub(T *p, nestwarp_same<T> v) {
  return emulation::atomically(
      p, [=](T old) { return T(std::make_unsigned_t<T>(old) - std::make_unsigned_t<T>(v)); });
}
template <class T> T atomicMin(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return v < old ? v : old; });
}
template <class T> T atomicMax(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return old < v ? v : old; });
}
template <class T> T atomicAnd(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return T(old & v); });
}
template <class T> T atomicOr(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return T(old | v); });
}
template <class T> T atomicXor(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return T(old ^ v); });
}
template <class T> T atomicExch(T *p, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T) { return v; });
}
template <class T> T atomicCAS(T *p, nestwarp_same<T> compare, nestwarp_same<T> v) {
  return emulation::atomically(p, [=](T old) { return old == compare ? v : old; });
}

inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  emulation::copyAsync(to, from, bytes, zeros);
}
inline void __pipeline_commit() { emulation::commitCopies(); }
inline void __pipeline_wait_prior(unsigned youngest) { emulation::waitForCopies(youngest); }
inline size_t __cvta_generic_to_shared(const void *memory) {
  return emulation::sharedAddress(memory);
}
