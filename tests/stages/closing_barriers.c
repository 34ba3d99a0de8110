// A branch with barriers ends in one, for PoCL; CUDA needs none there.
// RUN: %nestwarp compile --coalesce=loads --emit=opencl %s | FileCheck %s
// RUN: %nestwarp compile --coalesce=loads --emit=cuda %s | FileCheck --check-prefix=CUDA %s
// CHECK:      if (j_rest < n) {
// CHECK:        for (int j = j_rest; j < n; j++) {
// CHECK:        }
// CHECK-NEXT:   barrier(
// CHECK-NEXT: }
// CHECK-NEXT: barrier(
// CHECK-NEXT: } else {
// CHECK:      if (j_rest < n) {
// CHECK:        for (int j = j_rest; j < n; j++) {
// CHECK:          if (
// CHECK:          }
// CHECK-NEXT:   }
// CHECK-NEXT:   barrier(
// CHECK-NEXT: }
// CHECK-NEXT: barrier(
// CUDA-COUNT-8: __syncthreads();
// CUDA-NOT:     __syncthreads();
void f(int n, float a[restrict n][n], float b[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = b[i][j] + b[i - 1][j] + b[i][j - 1];
}
