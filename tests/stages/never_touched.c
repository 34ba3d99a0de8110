// What is assumed of B's rows leaves the second loop over j empty: the copies of u have no first and no last one. isl cannot say so in C.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0299
// CHECK: buffer u elements
void kernel(int n, int m, signed char A[m], double *B, double C[n], short D[23][22], double *E) {
  for (int i = 0; i < n; i++) {
    float t = C[i];
    for (int j = m - 1; j >= 1; j -= 2)
      for (int k = 2; k < n; k++)
        E[i] = t;
    for (int j = m - 1; j >= 0; j--)
      for (int k = 0; k < n; k++) {
        float u[4];
        for (int z = 0; z < 4; z++)
          u[z] = B[(j * (n + 2) + k + 2) * 6 + z + 2] + t;
        A[j] = A[j] > D[i + 1][k] ? A[j] : D[i + 1][k];
        E[j] = E[j] + t + u[1];
      }
  }
}
