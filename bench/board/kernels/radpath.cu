// radpath: what rays from a source to each point of a detector pass of a body of n x n x n cells.
#include "common.h"

namespace {

struct Geometry {
  float sourceX, sourceY, sourceZ, pitch;
};

/// The path of the ray to (i, j), computed in T.
template <class T> __host__ __device__ T path(const Geometry &g, const float *density, int n, int i, int j) {
  T leanX = (T(g.pitch) * (j + T(0.5)) - T(g.sourceX)) / (n + T(g.sourceZ)), leanY = (T(g.pitch) * (i + T(0.5)) - T(g.sourceY)) / (n + T(g.sourceZ));
  T sum = 0;
  for (int k = 0; k < n; k++) {
    T x = T(g.sourceX) + leanX * (k + T(g.sourceZ)), y = T(g.sourceY) + leanY * (k + T(g.sourceZ)), endX = x + leanX, endY = y + leanY;
    int column = int(x), row = int(y), lastColumn = int(endX), lastRow = int(endY);
    T cutX = lastColumn == column ? T(1) : ((lastColumn > column ? lastColumn : column) - x) / leanX;
    T cutY = lastRow == row ? T(1) : ((lastRow > row ? lastRow : row) - y) / leanY;
    T first = cutX < cutY ? cutX : cutY, second = cutX < cutY ? cutY : cutX;
    int middleColumn = cutX < cutY ? lastColumn : column, middleRow = cutX < cutY ? row : lastRow;
    const float *layer = density + size_t(k) * n * n;
    sum += first * layer[row * n + column] + (second - first) * layer[middleRow * n + middleColumn] + (1 - second) * layer[lastRow * n + lastColumn];
  }
  return sum * sqrt(1 + leanX * leanX + leanY * leanY);
}

__global__ void naive(Geometry g, const float *density, float *out, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < m)
    out[size_t(i) * m + j] = path<float>(g, density, n, i, j);
}

/// A body whose density changes slowly, with a tenth of noise.
std::vector<float> body(int n) {
  std::vector<float> density = board::madeUpNumbers<float>(size_t(n) * n * n, 1, 0.1, 1);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          density[(k * n + i) * n + j] += float(0.5 * std::sin(7.0 * double(k) / n) * std::cos(5.0 * i / n + 3.0 * j / n));
  });
  return density;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  // Rays start above the middle, a little beside it, so that none is upright, and end within the lowest layer.
  Geometry g{n * 0.5f + 0.11f, n * 0.5f - 0.13f, float(n), float(n) / m};
  auto density = board.input(body(n));
  auto out = board.output<float>(size_t(m) * m);
  std::vector<double> reference(size_t(m) * m);
  board::parallelFor(m, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      for (int j = 0; j < m; j++)
        reference[i * m + j] = path<double>(g, density.host.data(), n, int(i), j);
  });
  board.expect(out, std::move(reference), 1e-3); // places in float: a ray may change cells a little earlier or later
  board.floor(4.0 * n * n * n + 4.0 * m * m, 20.0 * m * m * n, board::Precision::Single, "20 operations for a layer of a ray");
  board.column("naive", "one thread per ray", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(m, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(g, density.device(), out.device(), m, n);
  });
  board.ours(m, n, g.sourceX, g.sourceY, g.sourceZ, g.pitch, density.device(), out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
