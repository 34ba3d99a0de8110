// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
float bad(int n, float a[n]) {
  float t = 1;
// CHECK: nw0303_private.c:[[#@LINE+1]]:35: warning: 't' is private to iterations of this loop, but also read outside of it [NW0303]
#pragma acc parallel loop private(t)
  for (int i = 0; i < n; i++) {
    t = a[i];
    a[i] = t * t;
  }
  return t;
}

void pointer(int n, float *p, float a[n]) {
// CHECK: nw0303_private.c:[[#@LINE+1]]:35: warning: 'p' is a pointer, and what it points to cannot be private [NW0303]
#pragma acc parallel loop private(p)
  for (int i = 0; i < n; i++)
    a[i] = p[i];
}

void good(int n, float a[n]) {
  float t;
#pragma acc parallel loop private(t)
  for (int i = 0; i < n; i++) {
    t = a[i];
    a[i] = t * t;
  }
}
// CHECK: region 0 of good
