// atax: t = A x, y = A^T t.
#include "common.h"

namespace {

__global__ void naiveRows(const real *A, const real *x, real *t, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  real sum = 0;
  for (int j = 0; j < n; j++)
    sum += A[size_t(i) * n + j] * x[j];
  t[i] = sum;
}

__global__ void naiveColumns(const real *A, const real *t, real *y, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  real sum = 0;
  for (int i = 0; i < m; i++)
    sum += A[size_t(i) * n + j] * t[i];
  y[j] = sum;
}

constexpr int kThreads = 512, kEach = 16, kLongest = kThreads * kEach;

// A block owns whole rows, two at a time; they stay in registers between the two products, so that A is read once.
template <int W, bool kWhole>
__global__ void __launch_bounds__(kThreads) fused(const real *__restrict__ A, const real *__restrict__ x, real *__restrict__ t, real *__restrict__ y, int m, int n) {
  using P = Pack<real, W>;
  constexpr int Q = kEach / W, kWarps = kThreads / 32;
  __shared__ real part[2][2][kWarps];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, turn = 0;
  auto column = [&](int q) { return (q * kThreads + int(threadIdx.x)) * W; };
  P w[Q], sum[Q];
#pragma unroll
  for (int q = 0; q < Q; q++) {
    w[q] = kWhole || column(q) < n ? P::load(x + column(q)) : P::zero();
    sum[q] = P::zero();
  }
  for (int r = blockIdx.x * 2; r < m; r += gridDim.x * 2, turn ^= 1) {
    P v[2][Q];
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
      for (int q = 0; q < Q; q++)
        v[k][q] = kWhole || (r + k < m && column(q) < n) ? P::stream(A + size_t(r + k) * n + column(q)) : P::zero();
#pragma unroll
    for (int k = 0; k < 2; k++) {
      real s = 0;
#pragma unroll
      for (int q = 0; q < Q; q++)
        for (int e = 0; e < W; e++)
          s += v[k][q].v[e] * w[q].v[e];
      s = warpSum(s);
      if (lane == 0)
        part[turn][k][warp] = s;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; k++) {
      real z = 0;
#pragma unroll
      for (int p = 0; p < kWarps; p++)
        z += part[turn][k][p];
      if (threadIdx.x == k && (kWhole || r + k < m))
        t[r + k] = z;
#pragma unroll
      for (int q = 0; q < Q; q++)
        for (int e = 0; e < W; e++)
          sum[q].v[e] += v[k][q].v[e] * z;
    }
  }
  for (int q = 0; q < Q; q++)
    if (kWhole || column(q) < n)
      for (int e = 0; e < W; e++)
        atomicAdd(y + column(q) + e, sum[q].v[e]);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  auto A = board.input(board::madeUpNumbers<real>(size_t(m) * n, 1)), x = board.input(board::madeUpNumbers<real>(n, 2));
  auto t = board.output<real>(m), y = board.output<real>(n);
  std::vector<double> between = product(A.host, m, n, x.host, false);
  board.expect(y, product(A.host, m, n, between, true), kSumTolerance);
  board.expect(t, between, kSumTolerance);
  board.floor((double(m) * n + m + 2.0 * n) * sizeof(real), 4.0 * m * n, kPrecision, "A read once");
  board.column("naive", "one thread per row, then per column", [&](cudaStream_t s) {
    naiveRows<<<blocksFor(m, 256), 256, 0, s>>>(A.device(), x.device(), t.device(), m, n);
    naiveColumns<<<blocksFor(n, 256), 256, 0, s>>>(A.device(), t.device(), y.device(), m, n);
  });
  board.column("vendor", "cublas gemv twice", [&](cudaStream_t) {
    gemv(board.cublas(), CUBLAS_OP_T, n, m, A.device(), x.device(), 0, t.device());
    gemv(board.cublas(), CUBLAS_OP_N, n, m, A.device(), t.device(), 0, y.device());
  });
  if (n <= kLongest)
    board.column("hand", "a row waits in registers", [&](cudaStream_t s) {
      MUST(cudaMemsetAsync(y.device(), 0, n * sizeof(real), s));
      bool wide = n % kWide == 0, whole = n == kLongest && m % 2 == 0;
      auto kernel = whole ? fused<kWide, true> : wide ? fused<kWide, false> : fused<1, false>;
      kernel<<<board.device().processors, kThreads, 0, s>>>(A.device(), x.device(), t.device(), y.device(), m, n);
    });
  board.ours(m, n, A.device(), x.device(), t.device(), y.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
