// mriq: at each voxel the sum of all samples, each with its magnitude and phase.
#include "mri.h"

namespace {

__global__ void naive(const float *kx, const float *ky, const float *kz, const float *magnitude, const float *x, const float *y, const float *z,
                      float *Qr, float *Qi, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float real = 0, imaginary = 0;
  for (int k = 0; k < m; k++) {
    float phase = kTwoPi * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]);
    real += magnitude[k] * cosf(phase);
    imaginary += magnitude[k] * sinf(phase);
  }
  Qr[i] = real;
  Qi[i] = imaginary;
}

__global__ void __launch_bounds__(kChunk) staged(const float *kx, const float *ky, const float *kz, const float *magnitude, const float *x,
                                                 const float *y, const float *z, float *Qr, float *Qi, int m, int n) {
  __shared__ float4 place[kChunk];
  sumOfSamples<false>(kx, ky, kz, magnitude, nullptr, x, y, z, Qr, Qi, m, n, place, nullptr);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  Places samples(m, 1, 32), voxels(n, 4, 1);
  auto kx = board.input(samples.x), ky = board.input(samples.y), kz = board.input(samples.z), magnitude = board.input(board::madeUpNumbers<float>(m, 7));
  auto x = board.input(voxels.x), y = board.input(voxels.y), z = board.input(voxels.z);
  auto Qr = board.output<float>(n), Qi = board.output<float>(n);
  Sums sums(samples, voxels, magnitude.host, std::vector<double>(m));
  board.expect(Qr, sums.real, kPhaseTolerance);
  board.expect(Qi, sums.imaginary, kPhaseTolerance);
  board.floor(16.0 * m + 20.0 * n, 12.0 * m * n, board::Precision::Single, "a sine or cosine counted as one operation");
  board.column("naive", "one thread per voxel", [&](cudaStream_t s) {
    naive<<<blocksFor(n, 256), 256, 0, s>>>(kx.device(), ky.device(), kz.device(), magnitude.device(), x.device(), y.device(), z.device(), Qr.device(), Qi.device(), m, n);
  });
  board.column("hand", "samples in shared memory, 2 voxels a thread, sincospi of turns", [&](cudaStream_t s) {
    staged<<<blocksFor(n, kChunk * kVoxels), kChunk, 0, s>>>(kx.device(), ky.device(), kz.device(), magnitude.device(), x.device(), y.device(), z.device(), Qr.device(), Qi.device(), m, n);
  });
  board.ours(m, n, kx.device(), ky.device(), kz.device(), magnitude.device(), x.device(), y.device(), z.device(), Qr.device(), Qi.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
