// In place of CUDA's header: the board's programs on the CPU (tests/board_on_cpu.py), on top of tests/emulation.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include "../../emulation/cuda_on_cpu.h"

#define cudaStreamNonBlocking 1
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, int) { return cudaStreamCreate(stream); }
template <class T> cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind, cudaStream_t) {
  return std::memcpy(reinterpret_cast<char *>(&symbol) + offset, from, bytes), cudaSuccess;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return unsigned(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) { return unsigned(((unsigned long long)high << 32 | low) >> (by & 31)); }
inline unsigned __vsadu4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int k = 0; k < 32; k += 8)
    sum += unsigned(std::abs(int(a >> k & 255) - int(b >> k & 255)));
  return sum;
}
inline void sincospif(float turns, float *s, float *c) { *s = float(std::sin(M_PI * turns)), *c = float(std::cos(M_PI * turns)); }

namespace emulation {

/// What `kernel<<<grid, block, bytes, stream>>>(arguments)` becomes; templates need no registration this way.
template <class... Parameters, class... Arguments>
void launchOf(void (*function)(Parameters...), dim3 grid, dim3 block, size_t dynamicBytes, cudaStream_t, Arguments... arguments) {
  std::tuple<std::remove_const_t<Parameters>...> values{arguments...};
  std::apply(
      [&](auto &...value) {
        void *addresses[] = {(void *)&value...};
        auto call = [](const void *f, void **a) { callWith((void (*)(Parameters...))f, a, std::index_sequence_for<Parameters...>()); };
        launch(Kernel{"kernel", (const void *)function, call, "", 0, 0}, grid, block, addresses, dynamicBytes, false);
      },
      values);
}

} // namespace emulation
