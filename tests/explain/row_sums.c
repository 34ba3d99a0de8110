// Rows summed by one thread each: neighbours are a row apart, and explain says which loop would be the better one.
// RUN: %nestwarp explain --verbose --no-block-reduction %s --registers=model --size n=1024 --size m=2048 | FileCheck %s
// CHECK: kernel rows_0_step0
// CHECK: load A[i][j] {{.*}}: strided, 2048 elements apart; 32.0 transactions per access of a warp (4.0 would do)
// CHECK: store s[i] {{.*}}: coalesced; 4.0 transactions
// CHECK: in the way: line [[#@LINE+8]]: A[i][j] takes 32.0 transactions per access of a warp where 4.0 would do: i runs along the threads, and neighbours are 8192 bytes apart
// CHECK-SAME: contiguous along the loop over j (line [[#@LINE+6]]), but it adds up
// CHECK-NOT: kernel
void rows(int n, int m, float A[n][m], float *s) {
  for (int i = 0; i < n; i++) {
    float sum = 0;

    for (int j = 0; j < m; j++)
      sum += A[i][j];
    s[i] = sum;
  }
}
