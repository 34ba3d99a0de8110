// Nests that are refused together, and taken one by one: a plan of these is replayed on these.
// RUN: %nestwarp compile -q --emit=plan %s > %t.json && %nestwarp compile -q --emit=cuda --plan %t.json %s > %t.again.cu
// RUN: %nestwarp compile -q --emit=cuda %s > %t.cu && cmp %t.cu %t.again.cu
// RUN: FileCheck --check-prefix=PLAN --input-file=%t.json %s
// PLAN: "region": 0
// PLAN: "region": 1
// The nest in between is one for the host, and so would all three be.
void kernel(int n, int m, double A[n][m], double B[m][n], const int *key, double *sums) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[j][i] = A[i][j];
  for (int i = 0; i < n; i++)
    sums[key[i]] += A[i][0];
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      B[j][i] = B[j][i] * 2;
}
