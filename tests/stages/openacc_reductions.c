// A reduction that a clause names stands alone, with the locals that it needs; && and || are reductions of bits.
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
// RUN: %nestwarp compile -fopenacc --emit=schedule %s 2>&1 | FileCheck --check-prefix=SCHEDULE %s

// CHECK-LABEL: region 0 of change
// CHECK: S0 for
// CHECK-NEXT: double v = (a[i] * (double)2);
// CHECK-NEXT: b[i] = v;
// CHECK: S1 for
// CHECK-NEXT: double v = (a[i] * (double)2);
// CHECK-NEXT: most = fmax(most, v);
// CHECK: reduction max into most
// SCHEDULE: openacc_reductions.c:[[#@LINE+6]] schedule
// SCHEDULE: parallel S0
// SCHEDULE: reduction S1
double fmax(double, double);
double change(int n, double a[n], double b[n], double most) {
#pragma acc parallel loop reduction(max : most)
  for (int i = 0; i < n; i++) {
    double v = a[i] * 2;
    most = fmax(most, v);
    b[i] = v;
  }
  return most;
}

// Where nothing is reduced, the value stays as it is.
// CHECK-LABEL: region 1 of every
// CHECK: S0 for [n, m] -> { S0[] : n > 0 and m > 0 }
// CHECK-NEXT: all = (all != 0);
// CHECK: S1 for
// CHECK-NEXT: all = (all & ((a[i][j] > (float)0) ? -1 : 0));
// CHECK: reduction and into all
// SCHEDULE: serial S0
// SCHEDULE: reduction S1
int every(int n, int m, float a[n][m], int all) {
#pragma acc parallel loop collapse(2) reduction(&& : all)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      all = all && a[i][j] > 0;
  return all;
}

// A bool has no other values.
// CHECK-LABEL: region 2 of some
// CHECK-NOT: any != 0
// CHECK: S0 for
// CHECK-NEXT: any = (any | (_Bool)(a[i] != 0));
// CHECK: reduction or into any
// SCHEDULE: reduction S0
int some(int n, int a[n], _Bool any) {
#pragma acc parallel loop reduction(|| : any)
  for (int i = 0; i < n; i++)
    any = any || a[i];
  return any;
}
