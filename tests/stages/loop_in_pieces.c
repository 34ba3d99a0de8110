// The host's loop over i comes in two pieces, one after the other.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: host loop
// CHECK-NEXT: if ((m <= 2))
// CHECK: for (int i =
static unsigned A[24];
void kernel(int m, float *C) {
  for (int i = 0; i < 3; i++) {
    for (int j = -i + 3; j <= m - 1; j++) {
      int t = ((A[j + 2] & 511) ^ (A[j + 1] & 511)) & 511;
      t &= 1 | (A[j - 1] % 1000);
      C[i] = ((j - 2 < 3) ? 1 : -1) * C[i];
    }
    if (i == 1)
      A[i + 1] = ((i + m + 2) ^ 6) & 3;
  }
}
