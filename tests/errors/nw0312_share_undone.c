// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
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

// CHECK: region 0 of box
