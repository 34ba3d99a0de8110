// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
// RUN: %nestwarp cc -fopenacc --remarks -c %s -o %t.o 2>&1 | FileCheck --allow-empty --check-prefix=CARRIED %s
void bad(int n, float a[n]) {
  // CHECK: nw0305_uncarried.c:[[#@LINE+2]]:1: remark: 'data' is ignored here, and so is every other data directive: each nest copies what it needs [NW0305]
  // CHECK-NOT: NW0305
#pragma acc data copy(a[0:n])
  {
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      a[i] = 1;
#pragma acc update host(a[0:n])
  }
}
// CARRIED-NOT: NW0305
