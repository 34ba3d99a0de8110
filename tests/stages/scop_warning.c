// In a marked region the user wants to know: a warning instead of a remark.
// RUN: %nestwarp compile --emit=schedule %s 2>&1 | FileCheck %s
// CHECK: scop_warning.c:[[#@LINE+3]]:3: warning: {{.*}} [NW0201]
void f(int n, float a[n]) {
#pragma scop
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * 0.5f;
#pragma endscop
}
