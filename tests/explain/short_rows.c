// Rows that threads share out in one form or another, as their length is: explain says which is
// taken and who has which loop.
// RUN: %nestwarp explain --verbose %s --device=h200 --registers=model --size n=1024 --size m=64 | FileCheck %s
// CHECK: kernel scaled_0_step0_block_reduction4
// CHECK: other form scaled_0_step0_block_reduction2: from 2048 values of j on
// CHECK: form taken scaled_0_step0_block_reduction4: from 32 values of j on
// CHECK: other form scaled_0_step0: otherwise
// CHECK: loop i {{.*}}: threads y
// CHECK: loop j {{.*}}: shared out among threads x, in each
// RUN: %nestwarp explain --verbose %s --device=h200 --registers=model --size n=1024 --size m=4096 | FileCheck --check-prefix=LONG %s
// LONG: kernel scaled_0_step0_block_reduction2
// LONG: form taken scaled_0_step0_block_reduction2: from 2048 values of j on
// LONG: loop i {{.*}}: blocks
void scaled(int n, int m, float A[n][m], float B[n][m]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      sum += A[i][j];
    for (int j = 0; j < m; j++)
      B[i][j] = A[i][j] / sum;
  }
}
