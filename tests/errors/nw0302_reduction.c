// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
float bad(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    // CHECK: nw0302_reduction.c:[[#@LINE+1]]:7: warning: reduction(+: s) is said of the loop around, but this statement does not fold 's' that way [NW0302]
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

float good(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
// CHECK: region 0 of good
