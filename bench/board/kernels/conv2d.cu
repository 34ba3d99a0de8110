// conv2d: a filter of 7 x 7 floats over an image that has three more rows and columns on every side.
#include "common.h"

namespace {

__global__ void naive(const float *in, const float *weight, float *out, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  float sum = 0;
  for (int u = 0; u < 7; u++)
    for (int v = 0; v < 7; v++)
      sum += weight[u * 7 + v] * in[size_t(i + u) * (n + 6) + j + v];
  out[size_t(i) * n + j] = sum;
}

constexpr int kColumns = 128, kRows = 32; // of a block's tile
__constant__ float constantWeight[49];

// A tile with its border in shared memory. A thread has 4 columns, 32 apart, of 4 neighbouring rows: an element of a column is loaded
// once for the four rows that need it.
__global__ void __launch_bounds__(256) tiled(const float *__restrict__ in, float *__restrict__ out, int m, int n) {
  __shared__ float tile[kRows + 6][kColumns + 6];
  const int top = blockIdx.y * kRows, left = blockIdx.x * kColumns, t = threadIdx.y * 32 + threadIdx.x;
  for (int k = t; k < (kRows + 6) * (kColumns + 6); k += 256) {
    int i = top + k / (kColumns + 6), j = left + k % (kColumns + 6);
    tile[k / (kColumns + 6)][k % (kColumns + 6)] = i < m + 6 && j < n + 6 ? in[size_t(i) * (n + 6) + j] : 0;
  }
  __syncthreads();
  const int row = threadIdx.y * 4;
  float sum[4][4] = {};
#pragma unroll
  for (int q = 0; q < 4; q++)
#pragma unroll
    for (int v = 0; v < 7; v++)
#pragma unroll
      for (int r = 0; r < 10; r++) {
        float value = tile[row + r][threadIdx.x + 32 * q + v];
#pragma unroll
        for (int p = 0; p < 4; p++)
          if (r - p >= 0 && r - p < 7)
            sum[p][q] += constantWeight[(r - p) * 7 + v] * value;
      }
#pragma unroll
  for (int p = 0; p < 4; p++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      int i = top + row + p, j = left + threadIdx.x + 32 * q;
      if (i < m && j < n)
        out[size_t(i) * n + j] = sum[p][q];
    }
}

std::vector<double> reference(const std::vector<float> &in, const std::vector<float> &weight, int m, int n) {
  std::vector<double> out(size_t(m) * n);
  board::parallelFor(m, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      for (int u = 0; u < 7; u++)
        for (int v = 0; v < 7; v++) {
          const double w = weight[u * 7 + v];
          const float *from = in.data() + (i + u) * (n + 6) + v;
          double *to = out.data() + i * n;
          for (int j = 0; j < n; j++)
            to[j] += w * from[j];
        }
  });
  return out;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  auto in = board.input(board::madeUpNumbers<float>(size_t(m + 6) * (n + 6), 1)), weight = board.input(board::madeUpNumbers<float>(49, 2));
  auto out = board.output<float>(size_t(m) * n);
  board.expect(out, reference(in.host, weight.host, m, n), 1e-5);
  board.floor(4.0 * (m + 6) * (n + 6) + 4.0 * m * n, 98.0 * m * n, board::Precision::Single);
  board.column("naive", "one thread per element", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(in.device(), weight.device(), out.device(), m, n);
  });
  board.column("hand", "tile in shared memory, 16 elements a thread, weights in constant memory", [&](cudaStream_t s) {
    MUST(cudaMemcpyToSymbolAsync(constantWeight, weight.device(), sizeof constantWeight, 0, cudaMemcpyDeviceToDevice, s));
    tiled<<<dim3(blocksFor(n, kColumns), blocksFor(m, kRows)), dim3(32, 8), 0, s>>>(in.device(), out.device(), m, n);
  });
  board.ours(m, n, in.device(), weight.device(), out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
