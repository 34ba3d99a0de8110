// Tiles of a product between two bounds each cost isl a lot, once more than one nest may: the nest
// is on the device all the same, with flattened arrays where there is no other way.
// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0299
// CHECK: "function": "product"
void product(int m, int n, int k, int t, int u, float *C, const float *A, const float *B) {
  for (int row = 0; row < t; row++)
    for (int col = 0; col < u; col++)
      if (row < m && col < n) {
        float sum = 0;
        for (int i = 0; i < k; i++)
          sum += A[row * k + i] * B[i * n + col];
        C[row * n + col] = sum;
      }
}
