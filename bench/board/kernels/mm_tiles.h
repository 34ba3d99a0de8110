// mm by hand: tiles of blocks, warps and threads for float, tensor cores for double.
#pragma once
#include "common.h"
#include <mma.h>

/// Blocks walk down bands of eight rows of tiles, so that what they read of B stays in the cache.
__device__ inline void bandedBlock(int id, int rowsOfTiles, int columnsOfTiles, int &row, int &column) {
  constexpr int kBand = 8;
  int first = id / (kBand * columnsOfTiles) * kBand, within = id % (kBand * columnsOfTiles), height = min(kBand, rowsOfTiles - first);
  row = first + within % height;
  column = within / height;
}

// Block tile 128 x 128, strips of 8 along k, warp tile 64 x 32, thread tile 8 x 8 in four quarters; strips are double-buffered in shared
// memory. kWhole: every tile is whole and rows begin at multiples of 16 bytes.
template <bool kWhole> __global__ void __launch_bounds__(256, 2) tiled(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m, int n, int k) {
  constexpr int BM = 128, BN = 128, BK = 8;
  __shared__ __align__(16) float stripA[2][BK][BM + 4], stripB[2][BK][BN];
  int tileRow, tileColumn;
  bandedBlock(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, tileRow, tileColumn);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, top = tileRow * BM, left = tileColumn * BN;
  const int y = warp % 2 * 64 + lane % 8 * 4, x = warp / 2 * 32 + lane / 8 * 4;                  // of the thread's first quarter
  const int loadRowA = t / 2, loadColumnA = t % 2 * 4, loadRowB = t / 32, loadColumnB = t % 32 * 4; // of the four elements it brings
  float sum[8][8] = {};
  __align__(16) float a[8], b[8], nextA[4], nextB[4];

  auto fetch = [&](int k0) {
    const float *pa = A + size_t(top + loadRowA) * k + k0 + loadColumnA, *pb = B + size_t(k0 + loadRowB) * n + left + loadColumnB;
    if constexpr (kWhole) {
      *(float4 *)nextA = *(const float4 *)pa;
      *(float4 *)nextB = *(const float4 *)pb;
    } else {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        nextA[e] = top + loadRowA < m && k0 + loadColumnA + e < k ? pa[e] : 0;
        nextB[e] = k0 + loadRowB < k && left + loadColumnB + e < n ? pb[e] : 0;
      }
    }
  };
  auto keep = [&](int s) {
#pragma unroll
    for (int e = 0; e < 4; e++)
      stripA[s][loadColumnA + e][loadRowA] = nextA[e];
    *(float4 *)&stripB[s][loadRowB][loadColumnB] = *(float4 *)nextB;
  };

  fetch(0);
  keep(0);
  __syncthreads();
  for (int k0 = 0, s = 0; k0 < k; k0 += BK, s ^= 1) {
    if (k0 + BK < k)
      fetch(k0 + BK);
#pragma unroll
    for (int l = 0; l < BK; l++) {
      *(float4 *)a = *(float4 *)&stripA[s][l][y];
      *(float4 *)(a + 4) = *(float4 *)&stripA[s][l][y + 32];
      *(float4 *)b = *(float4 *)&stripB[s][l][x];
      *(float4 *)(b + 4) = *(float4 *)&stripB[s][l][x + 16];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
          sum[i][j] += a[i] * b[j];
    }
    if (k0 + BK < k)
      keep(s ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      int row = top + y + i / 4 * 32 + i % 4, column = left + x + j / 4 * 16;
      float *p = C + size_t(row) * n + column;
      if constexpr (kWhole) {
        *(float4 *)p = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      } else {
#pragma unroll
        for (int e = 0; e < 4; e++)
          if (row < m && column + e < n)
            p[e] = sum[i][j + e];
      }
    }
}

// Block tile 128 x 64, strips of 16 along k, warp tile 32 x 32 of 8 x 8 x 4 products; the next strip waits in registers.
template <bool kWhole> __global__ void __launch_bounds__(256, 2) tensor(const double *__restrict__ A, const double *__restrict__ B, double *__restrict__ C, int m, int n, int k) {
  using namespace nvcuda::wmma;
  constexpr int BM = 128, BN = 64, BK = 16, PA = BK + 4, PB = BN + 4; // rows are padded so that no two lanes meet in a bank
  __shared__ __align__(16) double stripA[BM * PA], stripB[BK * PB];
  int tileRow, tileColumn;
  bandedBlock(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, tileRow, tileColumn);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, top = tileRow * BM, left = tileColumn * BN, y = warp % 4 * 32, x = warp / 4 * 32;
  constexpr int RA = 256 / BK, QA = BM / RA, RB = 256 / BN, QB = BK / RB; // rows that the block brings at once, and how often
  const int rowA = t / BK, columnA = t % BK, rowB = t / BN, columnB = t % BN;
  const double *pa = A + size_t(top + rowA) * k + columnA, *pb = B + size_t(rowB) * n + left + columnB;
  double nextA[QA], nextB[QB];

  auto fetch = [&](int k0) {
#pragma unroll
    for (int q = 0; q < QA; q++)
      nextA[q] = kWhole || (top + rowA + q * RA < m && k0 + columnA < k) ? pa[size_t(q * RA) * k + k0] : 0;
#pragma unroll
    for (int q = 0; q < QB; q++)
      nextB[q] = kWhole || (k0 + rowB + q * RB < k && left + columnB < n) ? pb[size_t(k0 + q * RB) * n] : 0;
  };
  auto keep = [&] {
#pragma unroll
    for (int q = 0; q < QA; q++)
      stripA[(rowA + q * RA) * PA + columnA] = nextA[q];
#pragma unroll
    for (int q = 0; q < QB; q++)
      stripB[(rowB + q * RB) * PB + columnB] = nextB[q];
  };

  fragment<accumulator, 8, 8, 4, double> sum[4][4];
  fragment<matrix_a, 8, 8, 4, double, row_major> a[4];
  fragment<matrix_b, 8, 8, 4, double, row_major> b[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      fill_fragment(sum[i][j], 0);
  fetch(0);
  for (int k0 = 0; k0 < k; k0 += BK) {
    keep();
    __syncthreads();
    if (k0 + BK < k)
      fetch(k0 + BK);
#pragma unroll
    for (int l = 0; l < BK; l += 4) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        load_matrix_sync(a[i], stripA + (y + 8 * i) * PA + l, PA);
        load_matrix_sync(b[i], stripB + l * PB + x + 8 * i, PB);
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
    }
    __syncthreads();
  }
  double *square = stripA + warp * 64; // the warp's own, to pass an 8 x 8 square through
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      store_matrix_sync(square, sum[i][j], 8, mem_row_major);
      __syncwarp();
      for (int e = lane; e < 64; e += 32) {
        int row = top + y + 8 * i + e / 8, column = left + x + 8 * j + e % 8;
        if (kWhole || (row < m && column < n))
          C[size_t(row) * n + column] = square[e];
      }
      __syncwarp();
    }
}

inline void byHand(const float *A, const float *B, float *C, int m, int n, int k, cudaStream_t stream) {
  auto kernel = m % 128 == 0 && n % 128 == 0 && k % 8 == 0 ? tiled<true> : tiled<false>;
  kernel<<<blocksFor(m, 128) * blocksFor(n, 128), 256, 0, stream>>>(A, B, C, m, n, k);
}

inline void byHand(const double *A, const double *B, double *C, int m, int n, int k, cudaStream_t stream) {
  auto kernel = m % 128 == 0 && n % 64 == 0 && k % 16 == 0 ? tensor<true> : tensor<false>;
  kernel<<<blocksFor(m, 128) * blocksFor(n, 64), 256, 0, stream>>>(A, B, C, m, n, k);
}
