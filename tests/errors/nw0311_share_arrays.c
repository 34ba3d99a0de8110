// Hints that do not fit their arrays; the error points at the token.
// RUN: not %nestwarp compile -fopenacc --emit=plan %s 2>&1 | FileCheck %s
// RUN: not %nestwarp compile -fopenacc --emit=plan --function two %s 2>&1 | FileCheck --check-prefix=TWO %s
float D[64][48], E[64][48];
void bad(int n, float s, float A[n][n], float B[n][n]) {
  // CHECK: nw0311_share_arrays.c:[[#@LINE+4]]:19: error: 'X' is not an array of this nest [NW0311]
  // CHECK: nw0311_share_arrays.c:[[#@LINE+3]]:25: error: 'A' has 2 dimension(s), but 1 length(s) are given [NW0311]
  // CHECK: nw0311_share_arrays.c:[[#@LINE+2]]:34: error: 's' is a scalar; share takes arrays [NW0311]
  // CHECK: nw0311_share_arrays.c:[[#@LINE+1]]:42: error: this length is not positive in any block [NW0311]
#pragma acc share(X[1], A[TB_X], s[1], B[1 - 1][TB_X])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = s * B[j][i];
  // CHECK: nw0311_share_arrays.c:[[#@LINE+2]]:25: error: the length 49 is beyond the extent of dimension 2 of 'D', which is 48 [NW0311]
  // CHECK: nw0311_share_arrays.c:[[#@LINE+1]]:34: error: 'D' is named twice [NW0311]
#pragma acc share(D[64][48 + 1], D[1][1])
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 48; j++)
      D[i][j] = E[i][j];
}
// Two divisions of one loop.
// TWO: nw0311_share_arrays.c:[[#@LINE+2]]:13: error: {{.*}} [NW0311]
void two(int n, float A[n][n], float B[n][n], float C[n][n]) {
#pragma acc share(A[TB_Y][*], C[2 * TB_Y][TB_X])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
