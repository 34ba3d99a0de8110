// In-place averaging: only the anti-diagonals are parallel.
// RUN: %nestwarp compile --emit=schedule %s | FileCheck %s
// CHECK: schedule ({{.*}}isl)
// CHECK-NEXT: loop c0 = [n] -> { S0[i0, i1] -> [i0 + i1]
// CHECK-NEXT: parallel S0
// CHECK-NEXT: c1 = [n] -> { S0[i0, i1] -> [{{i0|i1}}]
void seidel(int n, float A[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j];
}
