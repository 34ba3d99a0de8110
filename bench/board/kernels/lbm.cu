// lbm: lattice Boltzmann, D2Q9: particles of nine directions move to the next cell and collide there.
#include "common.h"

namespace {

/// The nine populations of a cell after it has taken them from its neighbours and they have collided; stored at 'to'.
template <class T> __host__ __device__ void cell(T omega, const T *from, T *to, size_t k, size_t n, size_t all) {
  const T f0 = from[k], f1 = from[all + k - 1], f2 = from[2 * all + k - n], f3 = from[3 * all + k + 1], f4 = from[4 * all + k + n];
  const T f5 = from[5 * all + k - n - 1], f6 = from[6 * all + k - n + 1], f7 = from[7 * all + k + n + 1], f8 = from[8 * all + k + n - 1];
  const T density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  const T u = (f1 - f3 + f5 - f6 - f7 + f8) / density, v = (f2 - f4 + f5 + f6 - f7 - f8) / density, rest = 1 - T(1.5) * (u * u + v * v);
  const T edge = T(1.0 / 9) * density, corner = T(1.0 / 36) * density;
  to[k] = f0 + omega * (T(4.0 / 9) * density * rest - f0);
  to[all + k] = f1 + omega * (edge * (rest + 3 * u + T(4.5) * u * u) - f1);
  to[2 * all + k] = f2 + omega * (edge * (rest + 3 * v + T(4.5) * v * v) - f2);
  to[3 * all + k] = f3 + omega * (edge * (rest - 3 * u + T(4.5) * u * u) - f3);
  to[4 * all + k] = f4 + omega * (edge * (rest - 3 * v + T(4.5) * v * v) - f4);
  to[5 * all + k] = f5 + omega * (corner * (rest + 3 * (u + v) + T(4.5) * (u + v) * (u + v)) - f5);
  to[6 * all + k] = f6 + omega * (corner * (rest + 3 * (v - u) + T(4.5) * (v - u) * (v - u)) - f6);
  to[7 * all + k] = f7 + omega * (corner * (rest - 3 * (u + v) + T(4.5) * (u + v) * (u + v)) - f7);
  to[8 * all + k] = f8 + omega * (corner * (rest + 3 * (u - v) + T(4.5) * (u - v) * (u - v)) - f8);
}

__global__ void naive(float omega, const float *from, float *to, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < m - 1 && j < n - 1)
    cell<float>(omega, from, to, size_t(i) * n + j, n, size_t(m) * n);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n", "steps"}, argc, argv);
  int m = board.size(0), n = board.size(1), rounds = board.size(2) / 2;
  if (board.size(2) % 2)
    throw board::Failure("an even number of steps is wanted");
  size_t all = size_t(m) * n;
  const float omega = 1.2f;
  // At rest, more or less: as many in each direction as its weight says, and a tenth of noise.
  std::vector<float> start = board::madeUpNumbers<float>(9 * all, 1, 0.1, 1);
  for (size_t k = 0; k < start.size(); k++)
    start[k] *= k < all ? 4.0f / 9 : k < 5 * all ? 1.0f / 9 : 1.0f / 36;
  auto now = board.changed(start), next = board.changed(start); // borders are the same in both
  std::vector<double> a(start.begin(), start.end()), b = a;
  for (int t = 0; t < 2 * rounds; t++, std::swap(a, b))
    board::parallelFor(m, [&](size_t begin, size_t end) {
      for (size_t i = std::max<size_t>(begin, 1); i < std::min<size_t>(end, m - 1); i++)
        for (size_t k = i * n + 1; k < i * n + n - 1; k++)
          cell<double>(omega, a.data(), b.data(), k, n, all);
    });
  board.expect(now, std::move(a), 1e-5);
  board.floor(72.0 * all, 90.0 * all * 2 * rounds, board::Precision::Single, "arrays move once, for all steps together");
  board.column("naive", "one thread per cell, a launch a step", [&](cudaStream_t s) {
    const dim3 grid(blocksFor(n, 32), blocksFor(m, 8)), block(32, 8);
    for (int t = 0; t < rounds; t++) {
      naive<<<grid, block, 0, s>>>(omega, now.device(), next.device(), m, n);
      naive<<<grid, block, 0, s>>>(omega, next.device(), now.device(), m, n);
    }
  });
  board.ours(m, n, rounds, omega, now.device(), next.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
