// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
// A step of one parallel loop has no tiles; the nest goes to the device without them.
void line(int n, float x[n], float y[n]) {
  // CHECK: nw0312_share_undone.c:[[#@LINE+1]]:13: remark: of this share hint: step0: x not staged: tiles are for steps of two parallel loops [NW0312]
#pragma acc share(x[TB_X])
#pragma acc parallel loop
  for (int i = 1; i < n - 1; i++)
    y[i] = x[i - 1] + x[i] + x[i + 1];
}
// CHECK: region 0 of line
