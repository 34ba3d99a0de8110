// Buffers for partial results have names that the user's variables and arrays do not have.
// RUN: %nestwarp compile %s --device=h200 --emit=kernels 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: leave
void chain(int n, int m, const float partial5[n][m], const float partial4[m], float partial6[n],
           float partial3[m]) {
  for (int i = 0; i < n; i++) {
    partial6[i] = 0;
    for (int j = 0; j < m; j++)
      partial6[i] += partial5[i][j] * partial4[j];
    for (int j = 0; j < m; j++)
      partial3[j] += partial5[i][j] * partial6[i];
  }
}
// CHECK-NOT: NW0297
void total(int n, const int *a, const int *b, int *c) {
  int partial3 = 0, partial4 = n + 1;
  for (int i = 0; i < n; i++)
    partial3 += a[i] * b[i] * partial4;
  *c = partial3;
}
