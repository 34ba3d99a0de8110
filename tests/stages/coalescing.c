// Whatever the order of the loops, the one along the last subscript runs along neighbouring threads.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck %s
// CHECK: kernel columns_0_step0 (j along threads{{.*}}over i
// CHECK: kernel rows_1_step0 (j along threads{{.*}}over i
void columns(int n, int m, int a[n][m]) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      a[i][j] += 1;
}
void rows(int n, int m, int a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += 1;
}
