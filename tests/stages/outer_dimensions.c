// Steps of more than two parallel dimensions: tiles for one value of each of the others, along z;
// and plain kernels along three axes, without divisions.
// RUN: %nestwarp compile --emit=cuda --no-vectors --device=h200 %s | FileCheck %s

// CHECK: void __launch_bounds__{{.*}}batched_0_step0_tiles(
// CHECK: int q = int(blockIdx.z);
void batched(int b, int n, float A[b][n][n], float B[b][n][n], float C[b][n][n]) {
  for (int q = 0; q < b; q++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float s = 0;
        for (int k = 0; k < n; k++)
          s += A[q][i][k] * B[q][k][j];
        C[q][i][j] = s;
      }
}

// CHECK: convolution_1_step0_tiles
// CHECK: __shared__ float in_tile[8][3][66];
// CHECK: int y = int(blockIdx.z) % nw_y_count;
// CHECK-NEXT: int n = int(blockIdx.z) / nw_y_count;
void convolution(int N, int C, int K, int H, int W, float in[N][C][H][W], float w[K][C][3][3],
                 float out[N][K][H - 2][W - 2]) {
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++)
      for (int y = 0; y < H - 2; y++)
        for (int x = 0; x < W - 2; x++) {
          float s = 0;
          for (int c = 0; c < C; c++)
            for (int r = 0; r < 3; r++)
              for (int q = 0; q < 3; q++)
                s += in[n][c][y + r][x + q] * w[k][c][r][q];
          out[n][k][y][x] = s;
        }
}

// CHECK: stencil_2_step0(
// CHECK-NOT: nw_instance
// CHECK: for (int i = 1 + int(blockIdx.z * blockDim.z + threadIdx.z); i <= n - 2; i += int(gridDim.z * blockDim.z)) {
// CHECK-NEXT: for (int j = 1 + int(blockIdx.y
void stencil(int n, float A[n][n][n], float B[n][n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        B[i][j][k] = A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] +
                     A[i][j][k - 1] + A[i][j][k + 1];
}

// Copies have at most four subscripts.
// CHECK: turned_3_step0(
// CHECK-NOT: turned_3_step0_tiles(
void turned(int n, float A[n][n][n][n][n], float B[n][n][n][n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          for (int m = 0; m < n; m++)
            B[i][j][k][l][m] = A[m][j][k][l][i];
}
