// MRI-FHD, written anew as a naive kernel: each thread has a voxel and goes through all samples, which lie interleaved in memory. The voxels'
// coordinates lie in rows of three, so that neighbouring threads do not load neighbouring elements.
// sizes: threads_x=70 voxels=65 samples=40
#include <cmath>

__global__ void fhd(int voxels, int samples, const float *k, const float *rho, const float *voxel, float *r, float *i) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= voxels)
    return;
  float x = voxel[3 * v], y = voxel[3 * v + 1], z = voxel[3 * v + 2];
  float real = 0, imaginary = 0;
  for (int s = 0; s < samples; s++) {
    float angle = 6.2831853071795864769252867665590058f * (k[3 * s] * x + k[3 * s + 1] * y + k[3 * s + 2] * z);
    float c = cosf(angle), d = sinf(angle);
    real += rho[2 * s] * c - rho[2 * s + 1] * d;
    imaginary += rho[2 * s + 1] * c + rho[2 * s] * d;
  }
  r[v] = real;
  i[v] = imaginary;
}

void run(int voxels, int samples, float *k, float *rho, float *voxel, float *r, float *i) {
  fhd<<<(voxels + 255) / 256, 256>>>(voxels, samples, k, rho, voxel, r, i);
}
