// Ten to twenty lines: time, bottleneck, what limits it, what to change; no access is said to be two things.
// RUN: %nestwarp explain %s --function columns --registers=model --size n=4000000 | FileCheck %s
// RUN: %nestwarp explain %s --function columns --registers=model --size n=4000000 | wc -l | FileCheck --check-prefix=LINES %s
// RUN: %nestwarp explain %s --function scale --registers=model --size n=10000000 | FileCheck --check-prefix=SCALE %s
// RUN: %nestwarp explain %s --registers=model | wc -l | FileCheck --check-prefix=ALL %s
// RUN: %nestwarp explain %s --function columns --registers=model --verbose --size n=4000000 | FileCheck --check-prefix=VERBOSE %s
// LINES: {{^(8|9|1[0-9]|20)$}}
// ALL: {{^(1[0-9]|20)$}}

// CHECK: summary.c on h200
// CHECK: region 0 of columns: {{.*}} on the device at n = 4000000; copies of
// CHECK: kernel columns_0_step0{{.*}} (84 %):
// CHECK: bottleneck:
// CHECK: to change: line [[#@LINE+9]]: neighbouring threads find a[(i * 64)] 64 elements apart: lay the array out so that elements for neighbouring values of i lie side by side
// CHECK: occupancy: {{.*}} limited by
// CHECK: (--verbose: loops, every access, all limits and plans)
// CHECK-NOT: coalesced
// VERBOSE: load a{{.*}} strided, 64 elements apart
// VERBOSE: as scheduled, S0 reads:
void columns(int n, const float *restrict a, float *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = a[i * 64];
#pragma endscop
}

// SCALE: bottleneck: {{cache|global memory}} bandwidth
// SCALE: to change: copies take {{.*}} times as long as the kernels: keep the data on the device
// SCALE: to change: it moves data as fast as the memory does
// SCALE: other plans:
void scale(int n, float *a) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = 2 * a[i];
#pragma endscop
}

int recurrence(int n, const int *a) {
  int x = 0;
  for (int i = 0; i < n; i++)
    x = a[i] ^ (x * 3 + (x >> 2));
  return x;
}
