// Nests of more than three parallel loops: a block has one value of each but the first two, by its
// number along z, which is taken apart in 32 bits; where the product is larger than a grid, a loop
// over all of them takes 64 bits. Stencils have their windows then, too.
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function pool | FileCheck --check-prefix=POOL %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function pool | FileCheck --check-prefix=HOST %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function depthwise | FileCheck --check-prefix=WINDOW %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function plane | FileCheck --check-prefix=PLANE %s
#include <math.h>

// HOST: three axes, legal if ({{.*}} <= 65535) && ({{.*}} <= 524280)
// HOST-NEXT: launch pool_0_step0_axes
// HOST-NEXT: else
// HOST-NEXT: launch pool_0_step0 on
// POOL: nw_instance % nw_a_count
// POOL: pool_0_step0_axes(
// POOL-NEXT: int k = int(blockIdx.z) % {{.*}};
// POOL-NEXT: int i = int(blockIdx.z) / {{.*}};
// POOL-NEXT: int b = int(blockIdx.x * blockDim.x + threadIdx.x);
// POOL-NEXT: int a = int(blockIdx.y * blockDim.y + threadIdx.y);
// POOL-NEXT: if (a <= h - 1) {
// POOL-NOT: nw_instance
void pool(int n, int c, int h, int w, float x[restrict n][c][2 * h][2 * w],
          float y[restrict n][c][h][w]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c; k++)
      for (int a = 0; a < h; a++)
        for (int b = 0; b < w; b++) {
          float most = -INFINITY;
          for (int r = 0; r < 2; r++)
            for (int q = 0; q < 2; q++)
              most = fmaxf(most, x[i][k][2 * a + r][2 * b + q]);
          y[i][k][a][b] = most;
        }
}

// WINDOW: depthwise_0_step0_wide(
// WINDOW-NEXT: int k = int(blockIdx.z) % {{.*}};
// WINDOW-NEXT: int i = int(blockIdx.z) / {{.*}};
// WINDOW: float4
void depthwise(int n, int c, int h, int w, float x[restrict n][c][h + 2][w + 2],
               float f[restrict c][3][3], float y[restrict n][c][h][w]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c; k++)
      for (int a = 0; a < h; a++)
        for (int b = 0; b < w; b++) {
          float s = 0;
          for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
              s += x[i][k][a + r][b + q] * f[k][r][q];
          y[i][k][a][b] = s;
        }
}

// PLANE-NOT: three axes
// PLANE: for (int i = thread.z;
void plane(int n, int h, int w, float x[restrict n][h][w], float y[restrict n][h][w]) {
  for (int i = 0; i < n; i++)
    for (int a = 0; a < h; a++)
      for (int b = 0; b < w; b++)
        y[i][a][b] = 2 * x[i][a][b];
}
