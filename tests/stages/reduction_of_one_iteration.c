// The reduction runs for i == 2 only: its target is A[2 * i] for the host and A[4] for the model.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: reduces into one partial result per block
static int helper(int a, int b) { return (a * 3 + b) & 255; }
static int v;
void kernel(int n, int m, unsigned A[5], int B[4][4][3]) {
  for (int i = 0; i < 3; i++) {
    long long u[5];
    for (int z = 0; z < 5; z++)
      u[z] = (A[z] < A[z]) + 3;
    for (int j = 0; j < i + 2; j++)
      if (i == 2) {
        if ((unsigned)helper((v % 1000) & B[j][j][2], (u[3] & 511) - 4) > A[2 * i]) A[2 * i] = (unsigned)helper((v % 1000) & B[j][j][2], (u[3] & 511) - 4);
      }
    A[i] = (u[4] & 255) + (i + 2) / 6;
  }
}
