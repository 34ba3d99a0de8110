// -i + n + 3 in unsigned numbers is any element for the model; the verifier, which reads it as it is, looks at elements of B only.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: kernel kernel_0_step0
void kernel(int n, int B[n + 4], int D[4]) {
  for (unsigned i = 0; i < 4; i++)
    D[i] = B[-i + n + 3];
}
