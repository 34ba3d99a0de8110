// mm: C = A B.
#include "mm_tiles.h"

namespace {

__global__ void naive(const real *A, const real *B, real *C, int m, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  real sum = 0;
  for (int l = 0; l < k; l++)
    sum += A[size_t(i) * k + l] * B[size_t(l) * n + j];
  C[size_t(i) * n + j] = sum;
}

/// Elements whose value is computed on the host: the first and the last row and column, and 4096 others.
std::vector<std::pair<int, int>> samples(int m, int n) {
  std::vector<std::pair<int, int>> places;
  for (int j = 0; j < n; j++)
    places.insert(places.end(), {{0, j}, {m - 1, j}});
  for (int i = 0; i < m; i++)
    places.insert(places.end(), {{i, 0}, {i, n - 1}});
  for (int s = 0; s < 4096; s++)
    places.emplace_back(int((board::madeUp(s, 11) + 0.5) * m), int((board::madeUp(s, 12) + 0.5) * n));
  return places;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n", "k"}, argc, argv);
  int m = board.size(0), n = board.size(1), k = board.size(2);
  auto A = board.input(board::madeUpNumbers<real>(size_t(m) * k, 1)), B = board.input(board::madeUpNumbers<real>(size_t(k) * n, 2));
  auto C = board.output<real>(size_t(m) * n);

  // Some elements for themselves; and all of them, since C r = A (B r) for a vector r of ones and minus ones.
  std::vector<std::pair<int, int>> places = samples(m, n);
  std::vector<double> values(places.size());
  board::parallelFor(places.size(), [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; s++)
      for (int l = 0; l < k; l++)
        values[s] += double(A.host[size_t(places[s].first) * k + l]) * B.host[size_t(l) * n + places[s].second];
  });
  std::vector<double> r(n);
  for (int j = 0; j < n; j++)
    r[j] = board::madeUp(j, 13) < 0 ? -1 : 1;
  std::vector<double> rowSums = product(A.host, m, k, product(B.host, k, n, r, false), false);
  board.check("largest difference / root mean square, of sampled elements and of the product with a vector", kSumTolerance, [&] {
    std::vector<real> result = C.result(), sampled;
    for (auto [i, j] : places)
      sampled.push_back(result[size_t(i) * n + j]);
    return std::max(board::largestDifference(sampled, values), board::largestDifference(product(result, m, n, r, false), rowSums));
  });

  board.floor((double(m) * k + double(k) * n + double(m) * n) * sizeof(real), 2.0 * m * n * k, kPrecision);
  board.column("naive", "one thread per element", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(A.device(), B.device(), C.device(), m, n, k);
  });
  board.column("vendor", "cublas gemm, pedantic", [&](cudaStream_t) { gemm(board.cublas(), m, n, k, A.device(), B.device(), C.device()); });
  board.column("hand", kDouble ? "tensor cores, 128 x 64 tiles" : "128 x 128 tiles, 8 x 8 a thread",
               [&](cudaStream_t s) { byHand(A.device(), B.device(), C.device(), m, n, k, s); });
  board.ours(m, n, k, A.device(), B.device(), C.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
