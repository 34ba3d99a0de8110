// fem: a sparse matrix, as many values in each row as a node has neighbours, times a vector.
#include "common.h"

namespace {

__global__ void naive(const int *neighbour, const float *stiffness, const float *x, float *y, int n, int neighbours) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < neighbours; k++)
    sum += stiffness[size_t(i) * neighbours + k] * x[neighbour[size_t(i) * neighbours + k]];
  y[i] = sum;
}

constexpr int kRows = 128; // of a block

// All products of a block's rows, one after the other as they lie in memory, to shared memory; then a thread for each row adds them up.
__global__ void __launch_bounds__(kRows) staged(const int *__restrict__ neighbour, const float *__restrict__ stiffness, const float *__restrict__ x, float *__restrict__ y, int n, int neighbours) {
  extern __shared__ float product[];
  const int first = blockIdx.x * kRows, rows = min(kRows, n - first);
  const int *theirs = neighbour + size_t(first) * neighbours;
  const float *values = stiffness + size_t(first) * neighbours;
#pragma unroll 4
  for (int k = threadIdx.x; k < rows * neighbours; k += kRows)
    product[k] = __ldcs(values + k) * x[__ldcs(theirs + k)];
  __syncthreads();
  if (int r = threadIdx.x; r < rows) {
    float sum = 0;
    for (int k = 0; k < neighbours; k++)
      sum += product[r * neighbours + k];
    y[first + r] = sum;
  }
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "neighbours"}, argc, argv);
  int n = board.size(0), neighbours = board.size(1);
  if (neighbours > 64)
    throw board::Failure("at most 64 neighbours are wanted");
  // Nodes of a mesh that was numbered with some care: most neighbours are near, some are anywhere.
  std::vector<int> near(size_t(n) * neighbours);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      for (int k = 0; k < neighbours; k++) {
        double draw = board::madeUp(i * neighbours + k, 1);
        long long other = k % 9 == 8 ? (long long)((draw + 0.5) * n) : (long long)i + (long long)(draw * 4096);
        near[i * neighbours + k] = int((other % n + n) % n);
      }
  });
  auto neighbour = board.input(near);
  auto stiffness = board.input(board::madeUpNumbers<float>(size_t(n) * neighbours, 2)), x = board.input(board::madeUpNumbers<float>(n, 3));
  auto y = board.output<float>(n);
  std::vector<double> reference(n);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      for (int k = 0; k < neighbours; k++)
        reference[i] += double(stiffness.host[i * neighbours + k]) * x.host[near[i * neighbours + k]];
  });
  board.expect(y, std::move(reference), 1e-5);
  board.floor(8.0 * n * neighbours + 8.0 * n, 2.0 * n * neighbours, board::Precision::Single);
  board.column("naive", "one thread per node", [&](cudaStream_t s) {
    naive<<<blocksFor(n, 256), 256, 0, s>>>(neighbour.device(), stiffness.device(), x.device(), y.device(), n, neighbours);
  });
  board.column("hand", "products through shared memory", [&](cudaStream_t s) {
    staged<<<blocksFor(n, kRows), kRows, kRows * neighbours * sizeof(float), s>>>(neighbour.device(), stiffness.device(), x.device(), y.device(), n, neighbours);
  });
  board.ours(n, neighbours, neighbour.device(), stiffness.device(), x.device(), y.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
