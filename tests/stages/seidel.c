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

// On a front, neighbouring threads have neighbouring steps of time: they lie in one row, if not side by side.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function fronts | FileCheck --check-prefix=FRONTS %s
// FRONTS: kernel fronts_0_step0 (c1 along threads, blocks of 32x8, over c2)
// FRONTS: int j = (int)((c0 - (2 * c2)) - (4 * c1));
// All fronts in one kernel: bounds that have many cases are those along one dimension alone.
// FRONTS: for (long long c2 = (max(1, {{.*}}) + thread.y); (c2 <= min(((long long)n - 2), {{.*}})); c2 += threads.y) {
void fronts(int steps, int n, float A[n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = A[i - 1][j - 1] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j + 1];
}
