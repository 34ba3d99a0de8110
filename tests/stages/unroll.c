// A plan asks for loops of a thread to be unrolled: the innermost ones, and no other.
// RUN: %nestwarp compile --emit=plan --device=h200 %s > %t.json
// RUN: sed -i '/"grid":/i "unroll": 6,' %t.json
// RUN: %nestwarp compile --target=cuda --device=h200 --plan=%t.json -o %t.cu %s
// RUN: FileCheck %s < %t.cu
void sums(int n, int m, int p, float y[n], float A[n][m][p], int first[n]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++)
      for (int k = first[i]; k < p; k++)
        s += A[i][j][k];
    y[i] = s;
  }
}
// CHECK: __global__
// CHECK-NOT: #pragma unroll
// CHECK: for (int j = 0
// CHECK-NEXT: #pragma unroll 6
// CHECK-NEXT: for (int k = first[i]
