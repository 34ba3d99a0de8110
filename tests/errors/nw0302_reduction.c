// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
float bad(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    // CHECK: nw0302_reduction.c:[[#@LINE+1]]:7: warning: reduction(+: s) is on the loop around, but this statement does not reduce 's' that way [NW0302]
    s = a[i] - s;
  return s;
}

// Another operator than the clause's.
float other(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    // CHECK: nw0302_reduction.c:[[#@LINE+1]]:7: warning: reduction(+: s){{.*}} [NW0302]
    s *= a[i];
  return s;
}

// The local is computed from an element that has changed when it is reduced: it cannot be computed once more.
float changed(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++) {
    float v = a[i];
    a[i] = v * 2;
    float w = a[i] + v;
    // CHECK: nw0302_reduction.c:[[#@LINE+1]]:7: warning: reduction(+: s){{.*}} [NW0302]
    s += w;
  }
  return s;
}

// Whether anything is reduced depends on data, and && makes a truth of what it is.
int guarded(int n, int a[n], int all) {
#pragma acc parallel loop reduction(&& : all)
  for (int i = 0; i < n; i++)
    if (a[i] & 1)
      // CHECK: nw0302_reduction.c:[[#@LINE+1]]:11: warning: reduction(&&: all) is reduced under a condition that depends on data, or in a loop that is not affine [NW0302]
      all = all && a[i] > 0;
  return all;
}

// Another operator, of the logical ones.
int difference(int n, int a[n], int all) {
#pragma acc parallel loop reduction(&& : all)
  for (int i = 0; i < n; i++)
    // CHECK: nw0302_reduction.c:[[#@LINE+1]]:9: warning: reduction(&&: all) is on the loop around{{.*}} [NW0302]
    all = all || a[i] > 0;
  return all;
}

float good(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
// CHECK: region {{[0-9]+}} of good
