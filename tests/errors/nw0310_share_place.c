// Hints that have no nest, or one too many.
// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
void twice(int n, float A[n][n], float B[n][n]) {
#pragma acc share(A[TB_Y][TB_X]) // comments may stand in between
  // CHECK: nw0310_share_place.c:[[#@LINE+1]]:13: error: this nest has a second share [NW0310]
#pragma acc share(B[TB_X][TB_Y])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[j][i];
}

void nothing(int n, float A[n][n]) {
  // CHECK: nw0310_share_place.c:[[#@LINE+1]]:13: error: no loop follows share{{.*}} [NW0310]
#pragma acc share(A[TB_Y][TB_X])
  A[0][0] = n;
}
