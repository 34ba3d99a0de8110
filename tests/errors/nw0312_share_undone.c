// RUN: %nestwarp compile -fopenacc --emit=kernels %s 2>&1 | FileCheck %s
// A step of three parallel loops has no tiles; the nest goes to the device without them.
void box(int n, float x[n][n][n], float y[n][n][n]) {
  // CHECK: nw0312_share_undone.c:[[#@LINE+1]]:13: remark: of this share hint: step0: x not staged: tiles are for steps of one or two parallel loops [NW0312]
#pragma acc share(x[TB_Z][TB_Y][TB_X])
#pragma acc parallel loop collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 1; k < n - 1; k++)
        y[i][j][k] = x[i][j][k - 1] + x[i][j][k] + x[i][j][k + 1];
}

// CHECK: nw0312_share_undone.c:[[#@LINE+3]]:13: remark: of this share hint: the subscripts of a combine row and column, so a length says nothing about either; declare it as a[][n] [NW0312]
// Rows that the source flattens have no lengths of their own.
void flat(int n, float *a, float *b) {
#pragma acc share(a[TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = a[(i - 1) * n + j] + a[i * n + j] + a[(i + 1) * n + j];
}
// CHECK: buffer x elements
