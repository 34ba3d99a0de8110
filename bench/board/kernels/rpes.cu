// rpes: two-electron repulsion integrals of shells of type s.
#include "common.h"

namespace {

struct Shells {
  const float *exponent, *factor, *x, *y, *z;
};

/// The integral of pairs i and j, computed in T.
template <class T> __host__ __device__ T integral(const Shells &s, int primitives, size_t i, size_t j) {
  T sum = 0;
  for (int a = 0; a < primitives; a++)
    for (int b = 0; b < primitives; b++) {
      size_t k = i * primitives + a, l = j * primitives + b;
      T p = s.exponent[k], q = s.exponent[l], dx = T(s.x[k]) - s.x[l], dy = T(s.y[k]) - s.y[l], dz = T(s.z[k]) - s.z[l];
      T t = p * q / (p + q) * (dx * dx + dy * dy + dz * dz), root = sqrt(t);
      T weight = t < T(0.01) ? 1 - t / 3 + t * t / 10 : T(0.88622692545275801365) * erf(root) / root;
      sum += T(s.factor[k]) * s.factor[l] * T(34.986836655249725) / (p * q * sqrt(p + q)) * weight;
    }
  return sum;
}

__global__ void naive(Shells s, float *out, int n, int primitives) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    out[size_t(i) * n + j] = integral<float>(s, primitives, i, j);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "primitives"}, argc, argv);
  int n = board.size(0), primitives = board.size(1);
  size_t count = size_t(n) * primitives;
  auto exponent = board.input(board::madeUpNumbers<float>(count, 1, 1.6, 1)), factor = board.input(board::madeUpNumbers<float>(count, 2, 1, 0.6));
  auto x = board.input(board::madeUpNumbers<float>(count, 3, 4)), y = board.input(board::madeUpNumbers<float>(count, 4, 4)), z = board.input(board::madeUpNumbers<float>(count, 5, 4));
  auto out = board.output<float>(size_t(n) * n);
  const Shells here{exponent.host.data(), factor.host.data(), x.host.data(), y.host.data(), z.host.data()};
  const Shells there{exponent.device(), factor.device(), x.device(), y.device(), z.device()};
  std::vector<double> reference(size_t(n) * n);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      for (int j = 0; j < n; j++)
        reference[i * n + j] = integral<double>(here, primitives, i, j);
  });
  board.expect(out, std::move(reference), 1e-4);
  board.floor(20.0 * count + 4.0 * n * n, 26.0 * n * n * primitives * primitives, board::Precision::Single, "a root, a division or an error function counted as one operation");
  board.column("naive", "one thread per integral", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(n, 8)), dim3(32, 8), 0, s>>>(there, out.device(), n, primitives);
  });
  board.ours(n, primitives, there.exponent, there.factor, there.x, there.y, there.z, out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
