// Whatever the freedom of floating point, fmin passes over NaN: what threads have reduced is put
// together by fmin, too, and not by a comparison, which would keep a NaN that l begins with.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --fp=fast %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: fmin(nw_reduced
// CHECK-NOT: < nw_reduced ?
#include <math.h>
void least(int n, int k, double A[n][k], double lo[n]) {
  for (int i = 0; i < n; i++) {
    double l = NAN;
    for (int j = 0; j < k; j++)
      l = fmin(l, A[i][j]);
    lo[i] = l;
  }
}
