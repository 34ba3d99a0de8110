// Threads may take several values of a dimension where these share what they read inside a loop: the loop is one, each value has a
// register of its own, and B is read once. The rest of the dimension comes value by value.
// RUN: %nestwarp compile -q --no-staging --emit=cuda --ilp 4 %s | FileCheck %s
// RUN: %nestwarp compile -q --no-staging --emit=cuda %s | FileCheck --check-prefix=SINGLE %s
// RUN: %nestwarp compile -q --no-staging --emit=plan --ilp 4 %s > %t.json && FileCheck --check-prefix=PLAN --input-file=%t.json %s
// RUN: %nestwarp compile -q --no-staging --emit=cuda --plan %t.json %s | FileCheck %s
// RUN: sed 's/^ *4$/3/' %t.json > %t.three.json && %nestwarp compile -q --no-staging --emit=cuda --plan %t.three.json %s | FileCheck --check-prefix=THREE %s
// RUN: sed 's/^ *4$/99/' %t.json > %t.many.json && not %nestwarp compile -q --no-staging --emit=cuda --plan %t.many.json %s 2>&1 | FileCheck --check-prefix=MANY %s
// RUN: sed 's/^ *1,$/2,/' %t.json > %t.x.json && %nestwarp compile -q --no-staging --emit=cuda --plan %t.x.json %s | FileCheck --check-prefix=ALONG %s
// RUN: sed 's/^ *1,$/16,/' %t.json > %t.all.json && not %nestwarp compile -q --no-staging --emit=cuda --plan %t.all.json %s 2>&1 | FileCheck --check-prefix=ALL %s
// CHECK: for (int nw_i_tile
// CHECK: int i_0 = nw_i_tile * 4;
// CHECK-NEXT: if (l >= 1 && m >= j + 1 && j >= 0 && n >= i_0 + 4 && i_0 >= 0) {
// CHECK: int i_3 = i_0 + 3;
// CHECK: C_sum = 0.0f;
// CHECK: C_sum_3 = 0.0f;
// CHECK-NEXT: for (int k = 0; k < l; k++) {
// CHECK-NEXT: C_sum = C_sum + A[(long long)i_0 * l + k] * B[(long long)k * m + j];
// CHECK: C_sum_3 = C_sum_3 + A[(long long)i_3 * l + k] * B[(long long)k * m + j];
// CHECK-NEXT: }
// CHECK-NEXT: C[(long long)i_0 * m + j] = C[(long long)i_0 * m + j] + C_sum;
// CHECK: } else {
// CHECK-NEXT: for (int i = i_0; i <= i_0 + 3 && i <= n - 1; i++) {
// SINGLE-NOT: i_0
// PLAN: "threadTile": [
// PLAN-NEXT: 1,
// PLAN-NEXT: 4
// PLAN: share what they read of B
// THREE: int i_2 = i_0 + 2;
// THREE-NOT: i_3
// MANY: the plan is not valid: kernels[0].threadTile[1] of entry 0 is 99; expected 1 to 32
// ALL: kernel step0 has a threadTile of 64 points; expected 1 to 32
// ALONG: int j_0 = int(blockIdx.x * blockDim.x + threadIdx.x) * 2;
// ALONG: int i_0 = nw_i_tile * 4;
// ALONG-NEXT: if (l >= 1 && m >= j_0 + 2 && j_0 >= 0 && n >= i_0 + 4 && i_0 >= 0) {
// ALONG: int j_1 = j_0 + 1;
// ALONG: C[(long long)i_3 * m + j_1] = C[(long long)i_3 * m + j_1] + C_sum_7;
// ALONG: } else {
// ALONG-NEXT: for (int i = i_0; i <= i_0 + 3 && i <= n - 1; i++) {
// ALONG-NEXT: for (int j = j_0; j <= j_0 + 1 && j <= m - 1; j++) {
void mm(int n, int m, int l, float A[n][l], float B[l][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        C[i][j] += A[i][k] * B[k][j];
}
