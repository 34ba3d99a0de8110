// NW0209: a flattened subscript that never stays in its row; with its dimensions declared the array is taken.
// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
void never(int n, const int *c, int b[n]) {
  for (int i = 0; i < n; i++)
    for (int j = n; j < 2 * n; j++)
      b[i] += c[i * n + j];
}
// CHECK: :4:{{[0-9]+}}: remark: nestwarp would have to assume something about the sizes that is never true{{.*}} [NW0209]
// CHECK: for (int i = 0; i < n; i++)
// CHECK: ^
// CHECK: "function": "declared"
void declared(int n, const int c[n + 1][n], int b[n]) {
  for (int i = 0; i < n; i++)
    for (int j = n; j < 2 * n; j++)
      b[i] += c[i + 1][j - n];
}
