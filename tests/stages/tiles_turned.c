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
void mt(int m, int n, const float A[m][n], float B[n][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      B[j][i] = A[i][j];
}
