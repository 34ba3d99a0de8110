// tmv: y = A^T x.
#include "common.h"

namespace {

__global__ void naive(const real *A, const real *x, real *y, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  real sum = 0;
  for (int i = 0; i < m; i++)
    sum += A[size_t(i) * n + j] * x[i];
  y[j] = sum;
}

constexpr int kRows = 256; // of a block

// Neighbouring lanes own neighbouring columns; rows are split over warps and blocks. Partial sums meet in shared, then in global memory.
template <int W> __global__ void columns(const real *__restrict__ A, const real *__restrict__ x, real *__restrict__ y, int m, int n) {
  using P = Pack<real, W>;
  __shared__ real part[8][32 * W];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * 32 * W, column = first + lane * W;
  int begin = blockIdx.y * kRows, end = min(begin + kRows, m);
  P sum = P::zero();
  if (column < n) {
#pragma unroll 8
    for (int i = begin + warp; i < end; i += 8) {
      P p = P::stream(A + size_t(i) * n + column);
      real w = x[i];
      for (int k = 0; k < W; k++)
        sum.v[k] += p.v[k] * w;
    }
  }
  for (int k = 0; k < W; k++)
    part[warp][lane * W + k] = sum.v[k];
  __syncthreads();
  int t = threadIdx.x;
  if (t < 32 * W && first + t < n) {
    real all = 0;
    for (int w = 0; w < 8; w++)
      all += part[w][t];
    atomicAdd(y + first + t, all);
  }
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  auto A = board.input(board::madeUpNumbers<real>(size_t(m) * n, 1)), x = board.input(board::madeUpNumbers<real>(m, 2));
  auto y = board.output<real>(n);
  board.expect(y, product(A.host, m, n, x.host, true), kSumTolerance);
  board.floor((double(m) * n + m + n) * sizeof(real), 2.0 * m * n, kPrecision);
  board.column("naive", "one thread per column", [&](cudaStream_t s) { naive<<<blocksFor(n, 256), 256, 0, s>>>(A.device(), x.device(), y.device(), m, n); });
  board.column("vendor", "cublas gemv", [&](cudaStream_t) { gemv(board.cublas(), CUBLAS_OP_N, n, m, A.device(), x.device(), 0, y.device()); });
  board.column("hand", "rows over warps and blocks", [&](cudaStream_t s) {
    MUST(cudaMemsetAsync(y.device(), 0, n * sizeof(real), s));
    bool wide = n % kWide == 0;
    auto kernel = wide ? columns<kWide> : columns<1>;
    kernel<<<dim3(blocksFor(n, wide ? 32 * kWide : 32), blocksFor(m, kRows)), 256, 0, s>>>(A.device(), x.device(), y.device(), m, n);
  });
  board.ours(m, n, A.device(), x.device(), y.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
