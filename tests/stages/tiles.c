// A product in tiles: strips of A and B in shared memory, points of a thread tile in registers, whole tiles without questions, and the plain form for
// sizes that have too few tiles. For sizes that tiles and strips divide: loads of 16 bytes, two buffers, and no code for edges; narrow ones for few columns. For others that have a tile: the last ones are shifted inwards.
// RUN: %nestwarp compile -q --emit=kernels --device=h200 %s | FileCheck --check-prefix=KERNELS %s
// RUN: rm -rf %t && mkdir %t
// RUN: %nestwarp compile -q --device=h200 --plan-out %t/plan.json -o %t/tiles.cu %s
// RUN: FileCheck --check-prefix=CUDA %s < %t/tiles.cu
// The same code in OpenCL, from the plan that was written; and the same plan again.
// RUN: %nestwarp compile -q --device=h200 --target=opencl --plan %t/plan.json --plan-out %t/again.json -o %t/tiles.cl.c %s
// RUN: FileCheck --check-prefix=OPENCL %s < %t/tiles.cl.c && diff %t/plan.json %t/again.json
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --no-staging %s | FileCheck --check-prefix=PLAIN %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --no-padding --no-vectors %s > %t/narrow.cu
// RUN: FileCheck --check-prefix=UNPADDED %s < %t/narrow.cu && FileCheck --check-prefix=NARROW %s < %t/narrow.cu
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --no-register-tiles %s | FileCheck --check-prefix=SINGLE %s
// RUN: sed 's/"stripLength": 8/"stripLength": 0/' %t/plan.json > %t.length.json && not %nestwarp compile -q --emit=cuda --device=h200 --plan %t.length.json %s 2>&1 | FileCheck --check-prefix=LENGTH %s
// RUN: sed 's/"padding": 4/"padding": 400/' %t/plan.json > %t.pad.json && not %nestwarp compile -q --emit=cuda --device=h200 --plan %t.pad.json %s 2>&1 | FileCheck --check-prefix=PADDING %s
// RUN: sed 's/"stripLength": 8/"stripLength": 5/' %t/plan.json > %t.five.json && %nestwarp compile -q --emit=cuda --device=h200 --plan %t.five.json %s | FileCheck --check-prefix=FIVE %s
// KERNELS: {{^}}exact tiles, legal if {{.*}}n % 4{{.*}}k % 4{{.*}}k >= 8{{.*}}k % 8{{.*}}% 128{{.*}}% 128{{.*}} and A lies at a multiple of 16 bytes and B lies at a multiple of 16 bytes, profitable if {{.*}}>= 198
// KERNELS-NEXT: launch mm_0_step0_tiles on {{.*}} when
// KERNELS-NEXT: else exact tiles, legal if {{.*}}% 128{{.*}}% 64{{.*}}, profitable if {{.*}}>= 99
// KERNELS-NEXT: launch mm_0_step0_tiles2 on {{.*}} when
// KERNELS-NEXT: else shifted tiles, legal if {{.*}}k >= 8{{.*}}>= 128{{.*}}>= 128{{.*}}, profitable if {{.*}}>= 198
// KERNELS-NEXT: launch mm_0_step0_tiles3 on {{.*}} when
// KERNELS-NEXT: else tiles, legal if {{.*}}, profitable if
// KERNELS-NEXT: launch mm_0_step0_tiles4 on {{.*}} when
// KERNELS: {{^}}else{{$}}
// KERNELS-NEXT: launch mm_0_step0 on {{.*}} when
// CUDA: 8 values of l at a time, loads of 16 bytes
// CUDA: __launch_bounds__(256, 2) mm_0_step0_tiles(
// CUDA: __shared__ __align__(16) float A_tile[2][8][132];
// CUDA-NOT: if (m
// CUDA: const float4 A_tile_wide_part = *(const float4 *)&A[(long long)(i_tile + A_tile_0) * k + (0 + A_tile_1)];
// CUDA: A_tile[l_strip / 8 % 2][A_tile_1 + A_tile_part][A_tile_0] = A_tile_next[A_tile_turn * 4 + A_tile_part];
// CUDA: __syncthreads();
// CUDA-NEXT: {
// CUDA-NEXT: int l_next = l_strip + 8 <= k - 8 ? l_strip + 8 : l_strip;
// CUDA: asm volatile("" ::: "memory");
// CUDA: tiles of 64 x 128 values of j and i, 8 x 8 in a thread, blocks of 8x16; in shared memory: A B, 8 values of l at a time, loads of 16 bytes
// CUDA: __launch_bounds__(128, 4) mm_0_step0_tiles2(
// CUDA: __shared__ __align__(16) float B_tile[2][8][64];
// CUDA: tiles of 128 x 128 values of j and i, 8 x 8 in a thread, blocks of 16x16; in shared memory: A B, 8 values of l at a time; the last tiles are shifted inwards
// CUDA: __launch_bounds__(256, 2) mm_0_step0_tiles3(
// CUDA: __shared__ __align__(16) float A_tile[2][8][132];
// CUDA: int i_unshifted = int(blockIdx.y) * 128;
// CUDA-NEXT: int i_tile = nw_min(i_unshifted, m - 128);
// CUDA: float sum[8][8];
// CUDA-NOT: i_unshifted
// CUDA: A_tile_wide[0][3] = A[(long long)(i_tile + A_tile_0) * k + (0 + A_tile_1 + 3)];
// CUDA: int l_rest = k / 8 * 8;
// CUDA: sum[i_point][j_point] = sum[i_point][j_point] + A[(long long)i * k + l] * B[(long long)l * n + j];
// CUDA: if (i >= i_unshifted) {
// CUDA: if (j >= j_unshifted) {
// CUDA-NEXT: C[(long long)i * n + j] = sum[i_point][j_point];
// CUDA: tiles of 64 x 64 values of j and i, 4 x 4 in a thread, blocks of 16x16; in shared memory: A B, 8 values of l at a time
// CUDA: __launch_bounds__(256, 2) mm_0_step0_tiles4(
// CUDA: __shared__ __align__(16) float A_tile[8][68];
// CUDA: __shared__ __align__(16) float B_tile[8][64];
// CUDA: if (m >= i_tile + 64{{.*}}n >= j_tile + 64
// CUDA: float sum[4][4];
// CUDA: float A_tile_next[2];
// CUDA: A_tile_next[A_tile_turn] = A[(long long)(i_tile + A_tile_0) * k + (0 + A_tile_1)];
// CUDA: A_tile[A_tile_1][A_tile_0] = A_tile_next[A_tile_turn];
// CUDA: __syncthreads();
// CUDA: sum[i_point][j_point] = sum[i_point][j_point] + A_tile[l - l_strip][i - i_tile] * B_tile[l - l_strip][j - j_tile];
// OPENCL: __local float A_tile[2][8][132] __attribute__((aligned(16)))
// OPENCL-NOT: asm
// OPENCL: barrier(
// PLAIN-NOT: __shared__
// UNPADDED: float A_tile[8][128]
// SINGLE: float sum;
// SINGLE-NOT: sum[
// LENGTH: strips of 0 values; expected 1 to 256 with a strip
// PADDING: kernels[{{[0-9]+}}].tiles[0].staged[0].padding of entry 0 is 400; expected 0 to 64
// NARROW-NOT: float4
// FIVE: A_tile[2][5][132]
void mm(int m, int n, int k, const float A[m][k], const float B[k][n], float C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += A[i][l] * B[l][j];
      C[i][j] = sum;
    }
}
