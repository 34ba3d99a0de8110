// Dimensions of a few values have blocks that are as narrow, or as low. Rows of three are one loop.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck %s

// CHECK: kernel push_0_step0 ({{.*}}), blocks of 8 x 32
void push(int n, float x[restrict n][6], float v[restrict n][6], float dt) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 6; d++)
      x[i][d] += dt * v[i][d];
}

// Four values in a thread need a quarter of the threads.
// CHECK: kernel wide_1_step0 ({{.*}}), blocks of 16 x 16
// CHECK: kernel wide_1_step0_wide ({{.*}}4 values of d in a thread), blocks of 4 x 64
void wide(int n, float x[restrict n][16], float v[restrict n][16], float dt) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 16; d++)
      x[i][d] += dt * v[i][d];
}

// CHECK: kernel rows_2_step0 ({{.*}}), blocks of 64 x 4
void rows(int n, float x[restrict 3][n], float v[restrict 3][n], float dt) {
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < n; i++)
      x[d][i] += dt * v[d][i];
}

// Diagonals are counted from the side of their band.
// CHECK: kernel band_3_step0 ({{.*}}), blocks of 2 x 128
void band(int n, float a[restrict n][2], float x[restrict n + 2]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < i + 2; j++)
      a[i][j - i] = x[i] * x[j];
}

// CHECK: kernel usual_4_step0 ({{.*}}), blocks of 32 x 8
void usual(int n, int m, float x[restrict n][40]) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 40 && d < m; d++)
      x[i][d] = i + d;
}

// CHECK: kernel vectors_5_step0 (i_d along threads, blocks of 256x1)
// CHECK: i = (i_d / 3);
// CHECK: d = (i_d % 3);
// CHECK: x[i][d] =
void vectors(int n, float x[restrict n][3], float v[restrict n][3], float m[restrict n]) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++)
      x[i][d] += m[i] * v[i][d];
}

// Rows that lie apart are not one; nor are those that threads run through loops for.
// CHECK: kernel apart_6_step0 ({{.*}}), blocks of 4 x 64
// CHECK: kernel sums_7_step0 (d along threads
void apart(int n, float x[restrict n][4]) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++)
      x[i][d] += d;
}
void sums(int n, int x[restrict n][3], int y[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++)
      for (int k = 0; k < n; k++)
        x[i][d] = x[i][d] * d + y[i][k];
}
