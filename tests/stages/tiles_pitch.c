// Rows of a size that is not a multiple of what a load moves: nothing is loaded by several elements at once, and the other forms of tiles stay.
// RUN: %nestwarp compile --emit=cuda --device=h200 %s 2>&1 | FileCheck %s
// RUN: sed 's/1001/1004/g' %s > %t.c && %nestwarp compile -q --emit=cuda --device=h200 %t.c | FileCheck --check-prefix=WIDE %s
// CHECK-NOT: NW0297
// CHECK-NOT: loads of 16 bytes
// CHECK: shifted inwards
// CHECK: mm_0_step0_tiles
// WIDE: loads of 16 bytes
float A[1001][1001], B[1001][1001], C[1001][1001];
void mm(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}
