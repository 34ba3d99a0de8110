// Points that begin at 1: threads begin at 0, so that a warp's accesses lie in one line of memory where rows do; a guard leaves out the first.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --no-vectors | FileCheck %s
// CHECK: launch inner_0_step0 on ((((long long)(n - 2) - (long long)1) + 1) + 1) x
// CHECK: int j = thread.x;
// CHECK-NEXT: for (int i = (1 + thread.y);
// CHECK-NEXT: if (((n >= (j + 2)) && (j >= 1))) {
void inner(int n, float A[n][n], float B[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      B[i][j] = A[i][j] * A[i][j];
}
