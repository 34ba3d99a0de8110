// mrifhd: samples weighted by the coil's sensitivity, then at each voxel the sum of all of them, each with its phase.
#include "mri.h"

namespace {

__global__ void weighted(const float *phiR, const float *phiI, const float *dR, const float *dI, float *rhoR, float *rhoI, int m) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= m)
    return;
  rhoR[k] = phiR[k] * dR[k] + phiI[k] * dI[k];
  rhoI[k] = phiR[k] * dI[k] - phiI[k] * dR[k];
}

__global__ void naive(const float *kx, const float *ky, const float *kz, const float *rhoR, const float *rhoI, const float *x, const float *y,
                      const float *z, float *outR, float *outI, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float real = 0, imaginary = 0;
  for (int k = 0; k < m; k++) {
    float phase = kTwoPi * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]), c = cosf(phase), s = sinf(phase);
    real += rhoR[k] * c - rhoI[k] * s;
    imaginary += rhoI[k] * c + rhoR[k] * s;
  }
  outR[i] = real;
  outI[i] = imaginary;
}

__global__ void __launch_bounds__(kChunk) staged(const float *kx, const float *ky, const float *kz, const float *rhoR, const float *rhoI, const float *x,
                                                 const float *y, const float *z, float *outR, float *outI, int m, int n) {
  __shared__ float4 place[kChunk];
  __shared__ float other[kChunk];
  sumOfSamples<true>(kx, ky, kz, rhoR, rhoI, x, y, z, outR, outI, m, n, place, other);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"m", "n"}, argc, argv);
  int m = board.size(0), n = board.size(1);
  Places samples(m, 1, 32), voxels(n, 4, 1);
  auto numbers = [&](uint64_t seed) { return board.input(board::madeUpNumbers<float>(m, seed)); };
  auto phiR = numbers(7), phiI = numbers(8), dR = numbers(9), dI = numbers(10);
  auto kx = board.input(samples.x), ky = board.input(samples.y), kz = board.input(samples.z);
  auto x = board.input(voxels.x), y = board.input(voxels.y), z = board.input(voxels.z);
  auto rhoR = board.output<float>(m), rhoI = board.output<float>(m), outR = board.output<float>(n), outI = board.output<float>(n);
  std::vector<double> a(m), b(m);
  for (int k = 0; k < m; k++) {
    a[k] = double(phiR.host[k]) * dR.host[k] + double(phiI.host[k]) * dI.host[k];
    b[k] = double(phiR.host[k]) * dI.host[k] - double(phiI.host[k]) * dR.host[k];
  }
  Sums sums(samples, voxels, a, b);
  board.expect(outR, sums.real, kPhaseTolerance);
  board.expect(outI, sums.imaginary, kPhaseTolerance);
  board.expect(rhoR, a, 1e-5);
  board.expect(rhoI, b, 1e-5);
  board.floor(36.0 * m + 20.0 * n, 16.0 * m * n, board::Precision::Single, "a sine or cosine counted as one operation");
  auto weights = [&](cudaStream_t s) {
    weighted<<<blocksFor(m, 256), 256, 0, s>>>(phiR.device(), phiI.device(), dR.device(), dI.device(), rhoR.device(), rhoI.device(), m);
  };
  board.column("naive", "one thread per voxel", [&](cudaStream_t s) {
    weights(s);
    naive<<<blocksFor(n, 256), 256, 0, s>>>(kx.device(), ky.device(), kz.device(), rhoR.device(), rhoI.device(), x.device(), y.device(), z.device(), outR.device(), outI.device(), m, n);
  });
  board.column("hand", "samples in shared memory, 2 voxels a thread, sincospi of turns", [&](cudaStream_t s) {
    weights(s);
    staged<<<blocksFor(n, kChunk * kVoxels), kChunk, 0, s>>>(kx.device(), ky.device(), kz.device(), rhoR.device(), rhoI.device(), x.device(), y.device(), z.device(), outR.device(), outI.device(), m, n);
  });
  board.ours(m, n, phiR.device(), phiI.device(), dR.device(), dI.device(), kx.device(), ky.device(), kz.device(), x.device(), y.device(), z.device(), rhoR.device(),
             rhoI.device(), outR.device(), outI.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
