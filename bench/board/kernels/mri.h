// What mriq and mrifhd share: samples in k-space, voxels, and sums over all samples at each voxel.
#pragma once
#include "common.h"

constexpr float kTwoPi = 6.2831853071795864769f;

struct Places {
  std::vector<float> x, y, z;
  Places(size_t count, uint64_t seed, double scale)
      : x(board::madeUpNumbers<float>(count, seed, scale)), y(board::madeUpNumbers<float>(count, seed + 1, scale)),
        z(board::madeUpNumbers<float>(count, seed + 2, scale)) {}
};

/// For each of the voxels the sums of (a + b i) e^(2 pi i phase) over the samples, in double; phases are computed as the kernels do.
struct Sums {
  std::vector<double> real, imaginary;
  template <class A, class B> Sums(const Places &samples, const Places &voxels, const std::vector<A> &a, const std::vector<B> &b)
      : real(voxels.x.size()), imaginary(voxels.x.size()) {
    board::parallelFor(real.size(), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < samples.x.size(); k++) {
          double turns = double(samples.x[k]) * voxels.x[i] + double(samples.y[k]) * voxels.y[i] + double(samples.z[k]) * voxels.z[i];
          double c = std::cos(2 * M_PI * turns), s = std::sin(2 * M_PI * turns);
          real[i] += a[k] * c - b[k] * s;
          imaginary[i] += b[k] * c + a[k] * s;
        }
    });
  }
};

/// Phases reach some twenty turns: in float they are off by as many times 2 pi 1e-7, and sums of random samples by a part of that.
constexpr double kPhaseTolerance = 1e-4;

constexpr int kVoxels = 2, kChunk = 256; // of a thread; samples in shared memory at a time

// A thread has kVoxels voxels, kChunk threads apart; samples come through shared memory. Turns instead of phases, so that the range of
// sine and cosine is found by rounding. kComplex: weights have an imaginary part.
template <bool kComplex>
__device__ void sumOfSamples(const float *kx, const float *ky, const float *kz, const float *a, const float *b, const float *x, const float *y,
                             const float *z, float *real, float *imaginary, int m, int n, float4 *place, float *other) {
  const int first = blockIdx.x * kChunk * kVoxels + threadIdx.x;
  float vx[kVoxels], vy[kVoxels], vz[kVoxels], re[kVoxels] = {}, im[kVoxels] = {};
#pragma unroll
  for (int q = 0; q < kVoxels; q++) {
    int i = min(first + q * kChunk, n - 1);
    vx[q] = x[i], vy[q] = y[i], vz[q] = z[i];
  }
  for (int begin = 0; begin < m; begin += kChunk) {
    int k = begin + threadIdx.x;
    if (k < m) {
      place[threadIdx.x] = make_float4(kx[k], ky[k], kz[k], a[k]);
      if (kComplex)
        other[threadIdx.x] = b[k];
    }
    __syncthreads();
    int count = min(kChunk, m - begin);
    for (int l = 0; l < count; l++) {
      float4 p = place[l];
#pragma unroll
      for (int q = 0; q < kVoxels; q++) {
        float s, c;
        sincospif(2 * (p.x * vx[q] + p.y * vy[q] + p.z * vz[q]), &s, &c);
        re[q] += p.w * c;
        im[q] += p.w * s;
        if (kComplex) {
          re[q] -= other[l] * s;
          im[q] += other[l] * c;
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < kVoxels; q++)
    if (int i = first + q * kChunk; i < n)
      real[i] = re[q], imaginary[i] = im[q];
}
