// Pointers that may alias are checked when the region runs; restrict ones too, since one may be based on the other.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck %s
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// CHECK: checks that x and y do not overlap
// CHECK: kernel may_0_step0
// CHECK: checks that x and y do not overlap
// CHECK: kernel restricted_1_step0
// PROGRAM: array float x[*] (pointer)
// PROGRAM: region 1 of restricted
// PROGRAM: array float x[*] (restrict pointer)
void may(int n, float *x, float *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 1;
}
void restricted(int n, float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 1;
}
