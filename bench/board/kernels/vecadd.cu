// vecadd: c = a + b.
#include "common.h"

namespace {

__global__ void naive(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// Four neighbours a thread, by one load each; what is left over by the threads behind.
__global__ void wide(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  using P = Pack<float, 4>;
  int t = blockIdx.x * blockDim.x + threadIdx.x, packs = n / 4;
  if (t < packs) {
    P x = P::stream(a + 4 * size_t(t)), y = P::stream(b + 4 * size_t(t));
    for (int k = 0; k < 4; k++)
      x.v[k] += y.v[k];
    x.storeStreaming(c + 4 * size_t(t));
  } else if (int i = 4 * packs + t - packs; i < n) {
    c[i] = a[i] + b[i];
  }
}

// A matrix of n elements, as near to a square as n allows: libraries take long for one column.
int rowsOf(int n) {
  int rows = int(std::sqrt(double(n)));
  while (n % rows != 0)
    rows--;
  return n / rows;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n"}, argc, argv);
  int n = board.size(0);
  auto a = board.input(board::madeUpNumbers<float>(n, 1)), b = board.input(board::madeUpNumbers<float>(n, 2));
  auto c = board.output<float>(n);
  std::vector<double> reference(n);
  for (int i = 0; i < n; i++)
    reference[i] = double(a.host[i]) + b.host[i];
  board.expect(c, std::move(reference), 1e-6);
  board.floor(12.0 * n, n, board::Precision::Single);
  board.column("naive", "one thread per element", [&](cudaStream_t s) { naive<<<blocksFor(n, 256), 256, 0, s>>>(a.device(), b.device(), c.device(), n); });
  board.column("vendor", "cublasSgeam", [&](cudaStream_t) {
    float one = 1;
    int rows = rowsOf(n);
    MUST(cublasSgeam(board.cublas(), CUBLAS_OP_N, CUBLAS_OP_N, rows, n / rows, &one, a.device(), rows, &one, b.device(), rows, c.device(), rows));
  });
  board.column("hand", "16 bytes a load", [&](cudaStream_t s) { wide<<<blocksFor(n / 4 + 3, 256), 256, 0, s>>>(a.device(), b.device(), c.device(), n); });
  board.ours(n, a.device(), b.device(), c.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
