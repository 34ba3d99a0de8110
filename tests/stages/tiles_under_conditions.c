// Strips whose loop runs under a condition on sizes, or inside another loop: the host asks for what
// tiles without code for edges take for granted. Points of which some do not read the array have no
// copy of all of it.
// RUN: mkdir -p %t.d && cd %t.d && %nestwarp compile --emit=kernels --device=h200 %s > %t.kernels 2> %t.err
// RUN: FileCheck --check-prefix=SAYS --allow-empty %s < %t.err
// RUN: FileCheck %s < %t.kernels
// SAYS-NOT: NW0297
// CHECK: exact tiles, legal if {{.*}}(t >= 1)
// CHECK: shifted tiles, legal if {{.*}}(t >= 1)
// CHECK: exact tiles, legal if {{.*}}(p >= 1)
// CHECK: shifted tiles, legal if {{.*}}(p >= 1)
// CHECK: kernel turned_2_step0
// CHECK-NOT: A_tile
void conditional(int m, int n, int q, int t, float A[m][q], float B[q][n], float C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      if (t > 0)
        for (int l = 0; l < q; l++)
          s += A[i][l] * B[l][j];
      C[i][j] = s;
    }
}

void inside(int m, int n, int p, int q, float A[m][p][q], float B[p][q][n], float C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int a = 0; a < p; a++)
        for (int l = 0; l < q; l++)
          s += A[i][a][l] * B[a][l][j];
      if (p > 0)
        C[i][j] = s;
    }
}

void turned(int n, float *A, float *B) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i + j >= n)
        B[i * n + j] = A[j * n + i];
      else
        B[i * n + j] = 0;
    }
}
