// An imperfect nest is split where that gives more parallelism: rows keep their sum in a thread, the rest is 2-D.
// RUN: %nestwarp compile --emit=schedule %s | FileCheck %s
// CHECK: sequence
// CHECK-NEXT: parallel S0 S1
// CHECK-NEXT: i =
// CHECK-NEXT: inside
// CHECK-NEXT: parallel S2
// CHECK-NEXT: i =
// CHECK-NEXT: j_2 =
// CHECK-NEXT: inside
void f(int n, int a[n][n], int s[n], int b[n][n]) {
  for (int i = 0; i < n; i++) {
    s[i] = 0;
    for (int j = 0; j < n; j++)
      s[i] += a[i][j];
    for (int j = 0; j < n; j++)
      b[j][i] = a[j][i] + 1;
  }
}
