// Threads run over values near those of c0, which is at least 3 or m - n + 1, and not over all that sizes are limited to.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK: buffer A
// CHECK: launch kernel_0_step0
// CHECK-NOT: 1342177
static long long A[60];
void kernel(int n, int m, signed char C[20][20], float *D) {
  for (int i = 1; i < n; i++)
    for (int j = 2; j < n; j++) {
      D[i * n + j] = A[-j + m + n - 1] & 511;
      A[i + n] = C[i][i / 2];
    }
}
