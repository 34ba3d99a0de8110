// A condition cuts the sequential loop of a product in two, and each part is cut into strips: elements that stay in registers meanwhile have a name for each part.
// RUN: %nestwarp compile --fp=strict --emit=cuda %s --device=h200 | FileCheck %s

// CHECK: {{__global__.*}}_tiles(
// CHECK: float C_kept[{{.*}}];
// CHECK-NEXT: float C_kept_[{{.*}}];
// CHECK-NOT: float C_kept[
// CHECK: } else {

void product(int n, int m, int l, float A[n][l], float B[l][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        if (k != 3)
          C[i][j] += A[i][k] * B[k][j];
}
