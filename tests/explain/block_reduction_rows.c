// Rows that neighbouring threads share out: explain names who has which loop.
// RUN: %nestwarp explain --verbose %s --registers=model --size n=1024 --size m=2048 | FileCheck %s
// CHECK: kernel rows_0_step0_block_reduction
// CHECK: loop i {{.*}}: threads y
// CHECK: loop j {{.*}}: shared out among threads x, after a first turn in each, 63 iterations
// CHECK: load A[i][nw_begin] {{.*}}: coalesced; 4.0 transactions
// CHECK: load A[i][j] {{.*}}: coalesced; 4.0 transactions
// Rows that begin anywhere are as good: a turn touches one line.
// RUN: %nestwarp explain --verbose %s --registers=model --size n=1024 --size m=2047 | FileCheck --check-prefix=ODD %s
// ODD: load A[i][j] {{.*}}: coalesced; 4.0 transactions
void rows(int n, int m, float A[n][m], float *s) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      sum += A[i][j];
    s[i] = sum;
  }
}
