// cp: the Coulombic potential of some thousand charges on a plane of points.
#include "common.h"

namespace {

__global__ void naive(float grid, float height, const float *x, const float *y, const float *z, const float *charge, float *energy, int m, int n, int atoms) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  float sum = 0;
  for (int a = 0; a < atoms; a++) {
    float dx = grid * j - x[a], dy = grid * i - y[a], dz = height - z[a];
    sum += charge[a] / sqrtf(dx * dx + dy * dy + dz * dz);
  }
  energy[size_t(i) * n + j] = sum;
}

constexpr int kPoints = 8, kThreads = 128; // points of a thread, kThreads apart

// A block has a piece of a row: what an atom is away in the other two directions is the same for all its points and is computed once, when
// the atom comes to shared memory. One reciprocal root instead of a root and a division.
__global__ void __launch_bounds__(kThreads) staged(float grid, float height, const float *x, const float *y, const float *z, const float *charge, float *energy, int n, int atoms) {
  __shared__ float4 atom[kThreads];
  const int first = blockIdx.x * kThreads * kPoints + threadIdx.x, i = blockIdx.y;
  float sum[kPoints] = {};
  for (int begin = 0; begin < atoms; begin += kThreads) {
    if (int a = begin + threadIdx.x; a < atoms) {
      float dy = grid * i - y[a], dz = height - z[a];
      atom[threadIdx.x] = make_float4(x[a], dy * dy + dz * dz, charge[a], 0);
    }
    __syncthreads();
    int count = min(kThreads, atoms - begin);
#pragma unroll 4
    for (int l = 0; l < count; l++) {
      float4 p = atom[l];
#pragma unroll
      for (int q = 0; q < kPoints; q++) {
        float dx = grid * (first + q * kThreads) - p.x;
        sum[q] += p.z * rsqrtf(dx * dx + p.y);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < kPoints; q++)
    if (int j = first + q * kThreads; j < n)
      energy[size_t(i) * n + j] = sum[q];
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n", "atoms"}, argc, argv);
  int m = board.size(0), n = board.size(1), atoms = board.size(2);
  const float grid = 0.1f, height = -1;
  auto x = board.input(board::madeUpNumbers<float>(atoms, 1, grid * n, grid * n / 2)), y = board.input(board::madeUpNumbers<float>(atoms, 2, grid * m, grid * m / 2));
  auto z = board.input(board::madeUpNumbers<float>(atoms, 3, 10, 6)), charge = board.input(board::madeUpNumbers<float>(atoms, 4));
  auto energy = board.output<float>(size_t(m) * n);
  // All points would take longer than everything else: the corners, and others at random.
  std::vector<size_t> sample = {0, size_t(n - 1), size_t(m - 1) * n, size_t(m) * n - 1};
  for (int k = 0; k < 65536; k++)
    sample.push_back(size_t((board::madeUp(k, 5) + 0.5) * double(size_t(m) * n)));
  std::vector<double> reference(sample.size());
  board::parallelFor(sample.size(), [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++)
      for (int a = 0; a < atoms; a++) {
        double dx = double(grid) * double(sample[k] % n) - x.host[a], dy = double(grid) * double(sample[k] / n) - y.host[a], dz = double(height) - z.host[a];
        reference[k] += charge.host[a] / std::sqrt(dx * dx + dy * dy + dz * dz);
      }
  });
  board.check("largest difference of 65540 points / root mean square", 1e-4, [&, reference = std::move(reference)] {
    std::vector<float> result = energy.result(), chosen;
    for (size_t k : sample)
      chosen.push_back(result[k]);
    return board::largestDifference(chosen, reference);
  });
  board.check("points that are no numbers", 0, [&] {
    std::vector<float> result = energy.result();
    return double(std::count_if(result.begin(), result.end(), [](float v) { return !std::isfinite(v); }));
  });
  board.floor(16.0 * atoms + 4.0 * m * n, 10.0 * m * n * atoms, board::Precision::Single, "a root and a division counted as one operation each");
  board.column("naive", "one thread per point", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(m, 8)), dim3(32, 8), 0, s>>>(grid, height, x.device(), y.device(), z.device(), charge.device(), energy.device(), m, n, atoms);
  });
  board.column("hand", "atoms in shared memory, 8 points a thread, reciprocal root", [&](cudaStream_t s) {
    staged<<<dim3(blocksFor(n, kThreads * kPoints), m), kThreads, 0, s>>>(grid, height, x.device(), y.device(), z.device(), charge.device(), energy.device(), n, atoms);
  });
  board.ours(m, n, atoms, grid, height, x.device(), y.device(), z.device(), charge.device(), energy.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
