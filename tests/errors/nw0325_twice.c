// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
float a[8], b[8];
void bad(void) {
  // CHECK: nw0325_twice.c:[[#@LINE+4]]:36: error: 'a' is in two data clauses of this directive ('copy' in line [[#@LINE+4]], and 'create') [NW0325]
  // CHECK-NEXT: [[#@LINE+3]] | #pragma acc data copy(a, b) create(a)
  // CHECK-NEXT: {{^      [|]                                    \^$}}
  // CHECK-NEXT: = help: name it once
#pragma acc data copy(a, b) create(a)
  a[0] = 1;
}

// CHECK-NOT: error
void good(void) {
#pragma acc data copy(a) create(b)
  {
#pragma acc update host(a[0:2], a[4:2])
  }
}
