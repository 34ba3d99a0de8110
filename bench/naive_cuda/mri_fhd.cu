// MRI-FHD: each thread has a voxel, with its coordinates in a row of three, and goes through all samples, which lie interleaved.
#include "measure.h"

__global__ void fhd(int voxels, int samples, const float *k, const float *rho, const float *voxel, float *r, float *i) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= voxels)
    return;
  float x = voxel[3 * v], y = voxel[3 * v + 1], z = voxel[3 * v + 2];
  float real = 0, imaginary = 0;
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853f * (k[3 * s] * x + k[3 * s + 1] * y + k[3 * s + 2] * z);
    float c = cosf(angle), d = sinf(angle);
    real += rho[2 * s] * c - rho[2 * s + 1] * d;
    imaginary += rho[2 * s + 1] * c + rho[2 * s] * d;
  }
  r[v] = real;
  i[v] = imaginary;
}

int main() {
  int voxels = sized(262144), samples = sized(2048);
  Values k(3 * samples, 1), rho(2 * samples, 2), voxel(3 * voxels, 3), r(voxels), i(voxels);
  Times times;
  for (int n = 0; n < runs(); n++) {
    times.start();
    fhd<<<(voxels + 255) / 256, 256>>>(voxels, samples, k.device, rho.device, voxel.device, r.device, i.device);
    times.stop();
  }
  return report("mri_fhd", times, r.sum() + i.sum());
}
