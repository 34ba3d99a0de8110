// Stencils of three dimensions: threads take points of two of them and one value of the third, in windows for each plane.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 %s | FileCheck %s
// CHECK: void {{.*}}_step0_windows(
// CHECK: int i = 1 + int(blockIdx.z * blockDim.z + threadIdx.z);
// CHECK-NEXT: if (i <= n - 2) {
// CHECK: A_window[0][nw_row1][0] = A[((long long)i * n
// CHECK: A_window1[0][nw_row1][0] = A[((long long)(i - 1) * n
// CHECK: A_window2[0][nw_row1][0] = A[((long long)(i + 1) * n
// CHECK: void {{.*}}_step0_wide(
// CHECK: int i = 1 + int(blockIdx.z * blockDim.z + threadIdx.z);
// CHECK: const float4 A_window_part
// The host asks whether the grid has room for the planes.
// RUN: %nestwarp compile -q --emit=kernels --device=h200 %s | FileCheck --check-prefix=HOST %s
// HOST: 65535
// What nobody reads is in no window: neither the corners of planes, nor rows of other planes.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function twoPlanes %s | FileCheck --check-prefix=PLANES %s
// PLANES: _step0_wide(
// PLANES: float A_window[1][1][4];
// PLANES: float A_window1[1][1][4];
// PLANES-NOT: A_window2
// A plane may have fewer rows than another.
// RUN: %nestwarp compile --emit=cuda --device=h200 --function slanted %s 2>&1 | FileCheck --check-prefix=SLANTED %s
// SLANTED-NOT: NW0297
// SLANTED: _step0_wide(
void slanted(int n, float A[n][n][n], float B[n][n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - 3 * i; j++)
      for (int k = 0; k < n; k++)
        B[i][j][k] = 2 * A[i][j][k];
}

void laplace(int n, float A[n][n][n], float B[n][n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        B[i][j][k] = A[i][j][k] + A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1];
}

void twoPlanes(int n, float A[n][n][n], float B[n][n][n]) {
  for (int i = 0; i < n - 5; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        B[i][j][k] = A[i][j][k] + A[i + 5][j][k];
}
