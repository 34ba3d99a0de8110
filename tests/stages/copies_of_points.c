// Points of a thread tile that compute in a variable of the source's have a copy of it each, so that their loops are one.
// RUN: %nestwarp compile -q --emit=plan --no-staging --no-vectors %s > %t.json
// RUN: sed 's/"name": "step[0-9]*",/& "threadTile": [2, 2],/' %t.json > %t.four.json
// RUN: %nestwarp compile -q --emit=cuda --plan %t.four.json %s | FileCheck %s
// RUN: %nestwarp compile -q --emit=cuda --no-staging --ilp 2 %s | FileCheck --check-prefix=TWO %s
// RUN: %nestwarp compile -q --emit=cuda --no-staging --ilp 2 --no-ilp %s | FileCheck --check-prefix=ONE %s
// CHECK: float sum;
// CHECK-NEXT: float sum_1;
// CHECK-NEXT: float sum_2;
// CHECK-NEXT: float sum_3;
// CHECK: for (int k = 0; k < n; k++) {
// CHECK-NEXT: sum = sum + A[(long long)i_0 * n + k] * B[(long long)k * n + j_0];
// CHECK-NEXT: sum_1 = sum_1 + A[(long long)i_0 * n + k] * B[(long long)k * n + j_1];
// CHECK-NEXT: sum_2 = sum_2 + A[(long long)i_1 * n + k] * B[(long long)k * n + j_0];
// CHECK-NEXT: sum_3 = sum_3 + A[(long long)i_1 * n + k] * B[(long long)k * n + j_1];
// CHECK-NEXT: }
// CHECK: C[(long long)i_1 * n + j_1] = sum_3;
// TWO: sum_1 = sum_1 + A[(long long)i_1 * n + k] * B[(long long)k * n + j];
// ONE-NOT: sum_1
void product(int n, float A[n][n], float B[n][n], float C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}
