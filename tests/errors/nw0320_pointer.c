// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, float *p, float q[n]) {
  // CHECK: nw0320_pointer.c:[[#@LINE+4]]:23: error: 'copy(p)' names a pointer, which does not tell how much memory it points to [NW0320]
  // CHECK-NEXT: [[#@LINE+3]] | #pragma acc data copy(p)
  // CHECK-NEXT: {{^      [|]                       \^$}}
  // CHECK-NEXT: = help: write the section, as in p[0:n]
#pragma acc data copy(p)
  {
    // CHECK: error: 'copyin(q)' names a pointer, which does not tell how much memory it points to [NW0320]
#pragma acc enter data copyin(q)
    // CHECK: error: 'self(p)' names a pointer, which does not tell how much memory it points to [NW0320]
#pragma acc update host(p)
    // CHECK: error: 'copyout(p)' names a pointer, which does not tell how much memory it points to [NW0320]
#pragma acc parallel loop copyout(p)
    for (int i = 0; i < n; i++)
      p[i] = i;
  }
}

// These need no more than an address.
// CHECK-NOT: error
void good(int n, float *p) {
#pragma acc data present(p)
#pragma acc parallel loop no_create(p)
  for (int i = 0; i < n; i++)
    p[i] = i;
#pragma acc exit data delete(p)
}
