// mt: B = A^T.
#include "common.h"
#include <atomic>

namespace {

__global__ void naive(const real *A, real *B, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    B[size_t(j) * m + i] = A[size_t(i) * n + j];
}

constexpr int kTile = 64;

// Tiles of 64 x 64 pass through padded shared memory; 16 bytes in and out where rows allow it.
template <int W> __global__ void tiled(const real *__restrict__ A, real *__restrict__ B, int m, int n) {
  using P = Pack<real, W>;
  __shared__ real tile[kTile][kTile + 1];
  constexpr int kAcross = kTile / W, kDown = 256 / kAcross; // threads
  int x = threadIdx.x % kAcross * W, y = threadIdx.x / kAcross, left = blockIdx.x * kTile, top = blockIdx.y * kTile;
#pragma unroll
  for (int r = y; r < kTile; r += kDown)
    if (top + r < m && left + x < n) {
      P p = P::stream(A + size_t(top + r) * n + left + x);
      for (int k = 0; k < W; k++)
        tile[r][x + k] = p.v[k];
    }
  __syncthreads();
#pragma unroll
  for (int r = y; r < kTile; r += kDown)
    if (left + r < n && top + x < m) {
      P p;
      for (int k = 0; k < W; k++)
        p.v[k] = tile[x + k][r];
      p.storeStreaming(B + size_t(left + r) * m + top + x);
    }
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  auto A = board.input(board::madeUpNumbers<real>(size_t(m) * n, 1));
  auto B = board.output<real>(size_t(m) * n);
  board.check("elements that differ", 0, [&] {
    std::vector<real> result = B.result();
    std::atomic<size_t> wrong = 0;
    board::parallelFor(n, [&](size_t begin, size_t end) {
      size_t here = 0;
      for (int top = 0; top < m; top += 16) // squares, so that lines of both matrices are used
        for (size_t j = begin; j < end; j++)
          for (int i = top; i < std::min(top + 16, m); i++)
            here += !(result[j * m + i] == A.host[size_t(i) * n + j]);
      wrong += here;
    });
    return double(wrong);
  });
  board.floor(2.0 * m * n * sizeof(real), 0, kPrecision);
  board.column("naive", "one thread per element", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(A.device(), B.device(), m, n);
  });
  board.column("vendor", "cublasSgeam", [&](cudaStream_t) {
    float one = 1, zero = 0;
    MUST(cublasSgeam(board.cublas(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, A.device(), n, &zero, B.device(), m, B.device(), m));
  });
  board.column("hand", "64 x 64 tiles", [&](cudaStream_t s) {
    auto kernel = m % kWide == 0 && n % kWide == 0 ? tiled<kWide> : tiled<1>;
    kernel<<<dim3(blocksFor(n, kTile), blocksFor(m, kTile)), 256, 0, s>>>(A.device(), B.device(), m, n);
  });
  board.ours(m, n, A.device(), B.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
