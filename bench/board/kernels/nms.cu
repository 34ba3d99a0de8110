// nms: a point keeps its strength if neither neighbour along its gradient is stronger.
#include "common.h"

namespace {

/// Of the neighbours around (rows above, its own and below, three of each) the strength that is kept.
__host__ __device__ inline float kept(float gx, float gy, const float *above, const float *own, const float *below) {
  float ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy, before, behind;
  if (ax > 2.414f * ay)
    before = own[0], behind = own[2];
  else if (ay > 2.414f * ax)
    before = above[1], behind = below[1];
  else if ((gx > 0) == (gy > 0))
    before = above[0], behind = below[2];
  else
    before = above[2], behind = below[0];
  return own[1] >= before && own[1] >= behind ? own[1] : 0;
}

__global__ void naive(const float *strength, const float *gx, const float *gy, float *edge, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  size_t k = size_t(i) * n + j;
  bool inside = i > 0 && i < m - 1 && j > 0 && j < n - 1;
  edge[k] = inside ? kept(gx[k], gy[k], strength + k - n - 1, strength + k - 1, strength + k + n - 1) : 0;
}

// Four neighbours a thread, by one load of each array and row; rows must be whole packs.
__global__ void wide(const float *__restrict__ strength, const float *__restrict__ gx, const float *__restrict__ gy, float *__restrict__ edge, int m, int n) {
  using P = Pack<float, 4>;
  int j = 4 * (blockIdx.x * blockDim.x + threadIdx.x), i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  size_t k = size_t(i) * n + j;
  P result = P::zero();
  if (i > 0 && i < m - 1) {
    float rows[3][6];
#pragma unroll
    for (int r = 0; r < 3; r++) {
      const float *row = strength + k + (r - 1) * ptrdiff_t(n);
      P middle = P::load(row);
      rows[r][0] = j > 0 ? row[-1] : 0;
#pragma unroll
      for (int e = 0; e < 4; e++)
        rows[r][e + 1] = middle.v[e];
      rows[r][5] = j + 4 < n ? row[4] : 0;
    }
    P x = P::stream(gx + k), y = P::stream(gy + k);
#pragma unroll
    for (int e = 0; e < 4; e++)
      if (j + e > 0 && j + e < n - 1)
        result.v[e] = kept(x.v[e], y.v[e], rows[0] + e, rows[1] + e, rows[2] + e);
  }
  result.storeStreaming(edge + k);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  size_t count = size_t(m) * n;
  auto strength = board.input(board::madeUpNumbers<float>(count, 1, 1, 0.5));
  auto gx = board.input(board::madeUpNumbers<float>(count, 2)), gy = board.input(board::madeUpNumbers<float>(count, 3));
  auto edge = board.output<float>(count);
  board.check("points that are wrong", 0, [&] {
    std::vector<float> result = edge.result();
    std::atomic<size_t> wrong = 0;
    board::parallelFor(m, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++)
        for (int j = 0; j < n; j++) {
          size_t k = i * n + j;
          bool inside = i > 0 && i + 1 < size_t(m) && j > 0 && j < n - 1;
          const float *s = strength.host.data() + k;
          wrong += result[k] != (inside ? kept(gx.host[k], gy.host[k], s - n - 1, s - 1, s + n - 1) : 0);
        }
    });
    return double(wrong);
  });
  board.floor(16.0 * count, 6.0 * count, board::Precision::Single);
  board.column("naive", "one thread per point", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(strength.device(), gx.device(), gy.device(), edge.device(), m, n);
  });
  if (n % 4 == 0)
    board.column("hand", "16 bytes a load, 4 points a thread", [&](cudaStream_t s) {
      wide<<<dim3(blocksFor(n, 128), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(strength.device(), gx.device(), gy.device(), edge.device(), m, n);
    });
  board.ours(m, n, strength.device(), gx.device(), gy.device(), edge.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
