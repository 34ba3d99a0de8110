// mv: y = A x.
#include "common.h"

namespace {

__global__ void naive(const real *A, const real *x, real *y, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  real sum = 0;
  for (int j = 0; j < n; j++)
    sum += A[size_t(i) * n + j] * x[j];
  y[i] = sum;
}

// The sum of a row lies across a warp: wide loads, eight in flight, a partial sum for each element of a load.
template <int W> __global__ void warpPerRow(const real *__restrict__ A, const real *__restrict__ x, real *__restrict__ y, int m, int n) {
  using P = Pack<real, W>;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= m)
    return;
  const real *a = A + size_t(row) * n;
  P sum = P::zero();
#pragma unroll 8
  for (int j = lane * W; j < n; j += 32 * W) {
    P p = P::stream(a + j), q = P::load(x + j);
    for (int k = 0; k < W; k++)
      sum.v[k] += p.v[k] * q.v[k];
  }
  real all = sum.v[0];
  for (int k = 1; k < W; k++)
    all += sum.v[k];
  all = warpSum(all);
  if (lane == 0)
    y[row] = all;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  auto A = board.input(board::madeUpNumbers<real>(size_t(m) * n, 1)), x = board.input(board::madeUpNumbers<real>(n, 2));
  auto y = board.output<real>(m);
  board.expect(y, product(A.host, m, n, x.host, false), kSumTolerance);
  board.floor((double(m) * n + m + n) * sizeof(real), 2.0 * m * n, kPrecision);
  board.column("naive", "one thread per row", [&](cudaStream_t s) { naive<<<blocksFor(m, 256), 256, 0, s>>>(A.device(), x.device(), y.device(), m, n); });
  board.column("vendor", "cublas gemv", [&](cudaStream_t) { gemv(board.cublas(), CUBLAS_OP_T, n, m, A.device(), x.device(), 0, y.device()); });
  board.column("hand", "a warp per row", [&](cudaStream_t s) {
    auto kernel = n % kWide == 0 ? warpPerRow<kWide> : warpPerRow<1>;
    kernel<<<blocksFor(m, 8), 256, 0, s>>>(A.device(), x.device(), y.device(), m, n);
  });
  board.ours(m, n, A.device(), x.device(), y.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
