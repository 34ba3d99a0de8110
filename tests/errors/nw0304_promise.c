// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
void bad(int n, float a[n], float y[4]) {
#pragma acc parallel loop
  // CHECK: nw0304_promise.c:[[#@LINE+1]]:3: warning: this loop is declared independent, but different iterations touch the same elements of 'y' [NW0304]
  for (int i = 0; i < n; i++)
    y[0] += a[i];
}
// It is a reduction all the same.
// CHECK: region 0 of bad
// CHECK: reduction sum into y[

// The promise may be true: nothing is said.
// CHECK-NOT: NW0304
void good(int n, int off, float a[n]) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    a[i] = a[i + off];
}
// CHECK: region 1 of good
