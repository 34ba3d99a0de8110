// mvt: x1 += A y1 and x2 += A^T y2.
#include "common.h"

namespace {

__global__ void naiveRows(const real *A, const real *y1, real *x1, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  real sum = x1[i];
  for (int j = 0; j < n; j++)
    sum += A[size_t(i) * n + j] * y1[j];
  x1[i] = sum;
}

__global__ void naiveColumns(const real *A, const real *y2, real *x2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  real sum = x2[i];
  for (int j = 0; j < n; j++)
    sum += A[size_t(j) * n + i] * y2[j];
  x2[i] = sum;
}

constexpr int kRows = 128, kColumns = 512; // of a block

// One read of A serves both products: a warp walks down its rows with 512 columns in registers. Row sums meet by shuffles, column sums in
// shared memory, then both by atomics. kWhole: no block reaches over the border.
template <int W, bool kWhole>
__global__ void fused(const real *__restrict__ A, const real *__restrict__ y1, const real *__restrict__ y2, real *__restrict__ x1, real *__restrict__ x2, int n) {
  using P = Pack<real, W>;
  constexpr int Q = kColumns / 32 / W;
  __shared__ real columnSum[kColumns];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, left = blockIdx.x * kColumns, top = blockIdx.y * kRows;
  for (int i = threadIdx.x; i < kColumns; i += blockDim.x)
    columnSum[i] = 0;
  __syncthreads();
  auto column = [&](int q) { return left + (q * 32 + lane) * W; };
  P w[Q], sum[Q];
#pragma unroll
  for (int q = 0; q < Q; q++) {
    w[q] = kWhole || column(q) < n ? P::load(y1 + column(q)) : P::zero();
    sum[q] = P::zero();
  }
  for (int r = top + warp * 4; r < top + kRows; r += 32) {
    P v[4][Q];
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int q = 0; q < Q; q++)
        v[k][q] = kWhole || (r + k < n && column(q) < n) ? P::stream(A + size_t(r + k) * n + column(q)) : P::zero();
    real rowSum[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      real z = kWhole || r + k < n ? y2[r + k] : 0;
      rowSum[k] = 0;
#pragma unroll
      for (int q = 0; q < Q; q++)
        for (int e = 0; e < W; e++) {
          rowSum[k] += v[k][q].v[e] * w[q].v[e];
          sum[q].v[e] += v[k][q].v[e] * z;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      real all = warpSum(rowSum[k]);
      if (lane == k && (kWhole || r + k < n))
        atomicAdd(x1 + r + k, all);
    }
  }
  for (int q = 0; q < Q; q++)
    for (int e = 0; e < W; e++)
      atomicAdd(columnSum + (q * 32 + lane) * W + e, sum[q].v[e]);
  __syncthreads();
  for (int i = threadIdx.x; i < kColumns; i += blockDim.x)
    if (kWhole || left + i < n)
      atomicAdd(x2 + left + i, columnSum[i]);
}

std::vector<double> sum(std::vector<double> a, const std::vector<real> &b) {
  for (size_t i = 0; i < a.size(); i++)
    a[i] += b[i];
  return a;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n"}, argc, argv);
  int n = board.size(0);
  auto A = board.input(board::madeUpNumbers<real>(size_t(n) * n, 1));
  auto y1 = board.input(board::madeUpNumbers<real>(n, 2)), y2 = board.input(board::madeUpNumbers<real>(n, 3));
  auto x1 = board.changed(board::madeUpNumbers<real>(n, 4)), x2 = board.changed(board::madeUpNumbers<real>(n, 5));
  board.expect(x1, sum(product(A.host, n, n, y1.host, false), x1.host), kSumTolerance);
  board.expect(x2, sum(product(A.host, n, n, y2.host, true), x2.host), kSumTolerance);
  board.floor((double(n) * n + 6.0 * n) * sizeof(real), 4.0 * n * n, kPrecision, "A read once");
  board.column("naive", "one thread per row, then per column", [&](cudaStream_t s) {
    naiveRows<<<blocksFor(n, 256), 256, 0, s>>>(A.device(), y1.device(), x1.device(), n);
    naiveColumns<<<blocksFor(n, 256), 256, 0, s>>>(A.device(), y2.device(), x2.device(), n);
  });
  board.column("vendor", "cublas gemv twice", [&](cudaStream_t) {
    gemv(board.cublas(), CUBLAS_OP_T, n, n, A.device(), y1.device(), 1, x1.device());
    gemv(board.cublas(), CUBLAS_OP_N, n, n, A.device(), y2.device(), 1, x2.device());
  });
  board.column("hand", "both products from one read of A", [&](cudaStream_t s) {
    bool wide = n % kWide == 0, whole = n % kColumns == 0 && n % kRows == 0;
    auto kernel = whole ? fused<kWide, true> : wide ? fused<kWide, false> : fused<1, false>;
    kernel<<<dim3(blocksFor(n, kColumns), blocksFor(n, kRows)), 256, 0, s>>>(A.device(), y1.device(), y2.device(), x1.device(), x2.device(), n);
  });
  board.ours(n, A.device(), y1.device(), y2.device(), x1.device(), x2.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
