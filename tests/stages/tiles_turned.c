// A transposition: B is written along its rows, and A's tile is turned in shared memory, with a padding that keeps the banks apart.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 %s | FileCheck %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --no-padding %s | FileCheck --check-prefix=UNPADDED %s
// CHECK: tiles of 64 x 64 values of i and j
// CHECK: __shared__ float A_tile[64][65];
// CHECK: A_tile_next[A_tile_turn] = A[(long long)(i_tile + A_tile_0) * n + (j_tile + A_tile_1)];
// CHECK: __syncthreads();
// CHECK: A_tile[A_tile_0][A_tile_1] = A_tile_next[A_tile_turn];
// CHECK: __syncthreads();
// CHECK: B[(long long)j * m + i] = A_tile[i - i_tile][j - j_tile];
// UNPADDED: A_tile[64][64];
// Where rows with unused elements do not fit into shared memory, elements of a row swap instead.
// RUN: %nestwarp compile -q --emit=cuda --device=gtx-285 %s | FileCheck --check-prefix=SWIZZLED %s
// RUN: %nestwarp compile -q --emit=opencl --device=gtx-285 %s | FileCheck --check-prefix=SWIZZLED-CL %s
// RUN: %nestwarp compile -q --emit=plan --device=gtx-285 %s > %t.s.json && %nestwarp compile -q --emit=plan --device=gtx-285 --plan %t.s.json %s | diff %t.s.json -
// RUN: sed 's/"swizzle": 32/"swizzle": 3/' %t.s.json > %t.three.json && not %nestwarp compile -q --emit=cuda --device=gtx-285 --plan %t.three.json %s 2>&1 | FileCheck --check-prefix=THREE %s
// SWIZZLED: A_tile[64][64];
// SWIZZLED: A_tile[A_tile_0][A_tile_1 ^ (A_tile_0 & 31)] = A_tile_next[A_tile_turn];
// SWIZZLED: = A_tile[i - i_tile][(j - j_tile) ^ ((i - i_tile) & 31)];
// SWIZZLED-CL: A_tile[A_tile_0][A_tile_1 ^ (A_tile_0 & 31)]
// THREE: swizzle of entry 0 is 3; expected 0, 2, 4, 8, 16, 32 or 64
void mt(int m, int n, const float A[m][n], float B[n][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      B[j][i] = A[i][j];
}
