// saxpy: y = alpha x + y.
#include "common.h"

namespace {

__global__ void naive(float alpha, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = alpha * x[i] + y[i];
}

// Four neighbours a thread, by one load each; what is left over by the threads behind.
__global__ void wide(float alpha, const float *__restrict__ x, float *__restrict__ y, int n) {
  using P = Pack<float, 4>;
  int t = blockIdx.x * blockDim.x + threadIdx.x, packs = n / 4;
  if (t < packs) {
    P p = P::stream(x + 4 * size_t(t)), q = P::stream(y + 4 * size_t(t));
    for (int k = 0; k < 4; k++)
      q.v[k] += alpha * p.v[k];
    q.storeStreaming(y + 4 * size_t(t));
  } else if (int i = 4 * packs + t - packs; i < n) {
    y[i] += alpha * x[i];
  }
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n"}, argc, argv);
  int n = board.size(0);
  const float alpha = 1.7f;
  auto x = board.input(board::madeUpNumbers<float>(n, 1)), y = board.changed(board::madeUpNumbers<float>(n, 2));
  std::vector<double> reference(n);
  for (int i = 0; i < n; i++)
    reference[i] = double(alpha) * x.host[i] + y.host[i];
  board.expect(y, std::move(reference), 1e-6);
  board.floor(12.0 * n, 2.0 * n, board::Precision::Single);
  board.column("naive", "one thread per element", [&](cudaStream_t s) { naive<<<blocksFor(n, 256), 256, 0, s>>>(alpha, x.device(), y.device(), n); });
  board.column("vendor", "cublasSaxpy", [&](cudaStream_t) { MUST(cublasSaxpy(board.cublas(), n, &alpha, x.device(), 1, y.device(), 1)); });
  board.column("hand", "16 bytes a load", [&](cudaStream_t s) { wide<<<blocksFor(n / 4 + 3, 256), 256, 0, s>>>(alpha, x.device(), y.device(), n); });
  board.ours(n, alpha, x.device(), y.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
