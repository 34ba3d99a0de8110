// What kernels may do, with known results.
#include "launch.h"
#ifdef __NVCC__
#include <cuda_pipeline_primitives.h>
#endif

// ---- warps

__global__ void shuffles(int *up, int *down, int *exchanged, int *first, double *wide) {
  int t = threadIdx.x;
  up[t] = __shfl_up_sync(0xffffffffu, t, 3);
  down[t] = __shfl_down_sync(0xffffffffu, t, 5, 16);
  exchanged[t] = __shfl_xor_sync(0xffffffffu, t, 1);
  first[t] = __shfl_sync(0xffffffffu, t, 0);
  wide[t] = __shfl_sync(0xffffffffu, t + 0.25, 31);
}

__global__ void votes(unsigned *even, int *any, int *all, int *sum, int *half) {
  int t = threadIdx.x;
  even[t] = __ballot_sync(0xffffffffu, t % 2 == 0);
  any[t] = __any_sync(0xffffffffu, t == 40);
  all[t] = __all_sync(0xffffffffu, t < 32);
  sum[t] = __reduce_add_sync(0xffffffffu, t);
  if (t % 32 < 16) // a part of the warp alone
    half[t] = __shfl_sync(0x0000ffffu, t, 15);
  __syncwarp();
}

__global__ void warpSum(const float *in, float *out) {
  float sum = in[threadIdx.x];
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, by);
  if (threadIdx.x % 32 == 0)
    out[threadIdx.x / 32] = sum;
}

// ---- blocks

__global__ void reversed(int *a) {
  __shared__ int kept[96], one;
  extern __shared__ int more[];
  int t = threadIdx.x;
  kept[t] = a[t];
  more[t] = 1000;
  if (t == 7)
    one = 5;
  __syncthreads();
  a[t] = kept[95 - t] + more[(t + 1) % 96] + one;
}

__global__ void counted(int *a) { a[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0) * 10 + __syncthreads_or(threadIdx.x == 50) * 2 + __syncthreads_and(threadIdx.x < 50); }

__global__ void indices(int *a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  a[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z;
}

// ---- grids

__device__ void gridBarrier(unsigned *state) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    unsigned generation = *(volatile unsigned *)(state + 1);
    if (atomicAdd(state, 1u) == gridDim.x - 1) {
      *(volatile unsigned *)state = 0;
      __threadfence();
      atomicAdd(state + 1, 1u);
    } else {
      while (*(volatile unsigned *)(state + 1) == generation) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void __launch_bounds__(64) rotated(int *a, int *b, unsigned *state, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 10; k++) {
    b[t] = a[(t + 1) % n];
    gridBarrier(state);
    a[t] = b[t];
    gridBarrier(state);
  }
}

// ---- memory

__global__ void atomics(int *i, unsigned long long *u, float *f, double *d) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicMin(&i[1], t);
  atomicMax(&i[2], t);
  atomicOr(&i[3], 1 << t % 8);
  atomicAnd(&i[4], ~(1 << t % 4));
  atomicXor(&i[5], t);
  if (atomicCAS(&i[6], 6, 77) == 6)
    atomicAdd(&i[7], 1);
  atomicAdd(u, 1ull << 40);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  float old = atomicExch(&f[1], 3.0f);
  atomicAdd(&f[2], old == 3.0f ? 1.0f : 0.0f);
}

__global__ void vectors(const float4 *in, float4 *out, const double2 *pairs, double *sums) {
  int t = threadIdx.x;
  float4 v = in[t];
  out[t] = make_float4(v.w, v.z, v.y, v.x);
  double2 p = __ldg(&pairs[t]);
  sums[t] = p.x + p.y;
}

__global__ void copies(const float *in, float *out) {
  __shared__ __align__(16) float stage[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][4 * t], &in[4 * t], 16);
  __pipeline_commit();
  for (int k = 0; k < 4; k++) {
    if (k < 3)
      __pipeline_memcpy_async(&stage[(k + 1) % 2][4 * t], &in[(k + 1) * 128 + 4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int c = 0; c < 4; c++)
      out[k * 128 + c * 32 + t] = stage[k % 2][c * 32 + t] + 1;
    __syncthreads();
  }
}

__device__ void copyFour(float *to, const float *from, int count) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(4 * count));
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::); }
template <int youngest> __device__ void waitFor() {
  asm volatile("" ::: "memory"); // which is no instruction
  asm volatile("cp.async.wait_group %0;\n" ::"n"(youngest) : "memory");
}

__global__ void copies_by_assembly(const float *in, float *out) {
  extern __shared__ float stage[];
  int t = threadIdx.x;
  copyFour(&stage[4 * t], &in[4 * t], t == 31 ? 3 : 4);
  commit();
  waitFor<0>();
  __syncthreads();
  for (int c = 0; c < 4; c++)
    out[c * 32 + t] = stage[127 - (c * 32 + t)];
}

__global__ void arithmetic(float *a) {
  float x = 1.0f + 0x1p-12f; // its square needs one bit too many
  a[0] = __fadd_rn(__fmul_rn(x, x), -1.0f) == 0x1p-11f;
  a[1] = __fmaf_rn(x, x, -1.0f) == 0x1p-11f + 0x1p-24f;
  a[2] = __int_as_float(0x7f800000) > 3e38f;
  a[3] = min(3, 4) + max(2.5, 1.0) == 5.5;
  a[4] = __popc(0xf0f0u) == 8 && __clz(1) == 31 && __ffs(8) == 4;
}

int main() {
  Array<int> a(64), b(64), c(64), d(64), e(64, false, -1);
  Array<double> w(64);
  launch(shuffles, 1, 64, a.device, b.device, c.device, d.device, w.device);
  expect("shuffle up", a, [](int t) { return t % 32 < 3 ? t : t - 3; });
  expect("shuffle down", b, [](int t) { return t % 16 >= 11 ? t : t + 5; });
  expect("shuffle xor", c, [](int t) { return t ^ 1; });
  expect("shuffle", d, [](int t) { return t / 32 * 32; });
  expect("shuffle of doubles", w, [](int t) { return t / 32 * 32 + 31.25; });
  Array<unsigned> even(64);
  launch(votes, 1, 64, even.device, a.device, b.device, c.device, e.device);
  expect("ballot", even, [](int) { return 0x55555555u; });
  expect("any", a, [](int t) { return t / 32 == 1; });
  expect("all", b, [](int t) { return t / 32 == 0; });
  expect("reduce", c, [](int t) { return t < 32 ? 496 : 496 + 32 * 32; });
  expect("half a warp", e, [](int t) { return t % 32 < 16 ? t / 32 * 32 + 15 : -1; });
  Array<float> many(64), sums(2);
  launch(warpSum, 1, 64, many.device, sums.device);
  expect("sum of a warp", sums, [](int t) { return t ? 496 + 32 * 32 : 496; });

  Array<int> row(96), flags(64);
  must(tryLaunch(false, reversed, 1, 96, 96 * sizeof(int), row.device));
  expect("shared memory", row, [](int t) { return 95 - t + 1005; });
  launch(counted, 1, 64, flags.device);
  expect("barriers with votes", flags, [](int) { return 22 * 10 + 2; });
  Array<int> box(6 * 6 * 4);
  launch(indices, dim3(3, 2, 1), dim3(2, 3, 4), box.device);
  expect("indices", box, [](int k) { return k % 6 + 100 * (k / 6 % 6) + 10000 * (k / 36); });

  Array<int> ring(256), other(256);
  Array<unsigned> state(2, false, 0);
  must(tryLaunch(true, rotated, 4, 64, 0, ring.device, other.device, state.device, 256));
  expect("cooperative grid", ring, [](int t) { return (t + 10) % 256; });
  std::printf("too many blocks: %s\n", cudaGetErrorString(tryLaunch(true, rotated, 40, 64, 0, ring.device, other.device, state.device, 256)));
  std::printf("too many threads: %s\n", cudaGetErrorString(tryLaunch(false, rotated, 1, 96, 0, ring.device, other.device, state.device, 256)));

  Array<int> i(8);
  Array<unsigned long long> u(1);
  Array<float> f(3, false, 0);
  Array<double> g(1);
  launch(atomics, 1, 64, i.device, u.device, f.device, g.device);
  const int wanted[] = {2016, 0, 63, 255, 0, 5, 77, 8};
  expect("atomics", i, [&](int k) { return wanted[k]; });
  expect("64-bit atomics", u, [](int) { return 64ull << 40; });
  expect("float atomics", f, [](int k) { return k == 0 ? 32 : k == 1 ? 3 : 63; });
  expect("double atomics", g, [](int) { return 16; });

  Array<float> in(128), out(128);
  Array<double> pairs(64), two(32);
  launch(vectors, 1, 32, (const float4 *)in.device, (float4 *)out.device, (const double2 *)pairs.device, two.device);
  expect("float4", out, [](int k) { return k / 4 * 4 + 3 - k % 4; });
  expect("double2", two, [](int k) { return 4 * k + 1; });
  Array<float> from(512), to(512);
  launch(copies, 1, 32, from.device, to.device);
  expect("asynchronous copies", to, [](int k) { return k + 1; });
  must(tryLaunch(false, copies_by_assembly, 1, 32, 512, in.device, out.device));
  expect("copies by assembly", out, [](int k) { return k == 0 ? 0 : 127 - k; });
  Array<float> truths(5);
  launch(arithmetic, 1, 1, truths.device);
  expect("arithmetic", truths, [](int) { return 1; });
}
