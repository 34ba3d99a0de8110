// Where the verifier cannot follow the copies of tiles, the nest is compiled without them, and says
// so: how many rows there are depends on whether there is one block of them.
// RUN: mkdir -p %t.d && cd %t.d && %nestwarp compile --emit=cuda --device=h200 %s > %t.cu 2> %t.err
// RUN: FileCheck --check-prefix=SAYS %s < %t.err
// RUN: FileCheck %s < %t.cu
// SAYS: check 'staging'{{.*}}[NW0297]
// SAYS: the nest is compiled without tiles
// CHECK-NOT: _tiles(
// CHECK: rows_0_step0(
// CHECK-NOT: _tiles(
void rows(int grid, int m, int l, float A[300][l], float B[l][m], float C[300][m]) {
  for (int b = 0; b < grid; b++)
    for (int i = 0; i < 256; i++)
      for (int j = 0; j < m; j++)
        if (b * 256 + i < 300)
          for (int k = 0; k < l; k++)
            C[b * 256 + i][j] += A[b * 256 + i][k] * B[k][j];
}
