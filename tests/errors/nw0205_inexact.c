// RUN: %nestwarp compile --fp=strict --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
#include <math.h>
void bad(int n, float a[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0205_inexact.c:[[#@LINE+4]]:12: remark: 'sin' differs in the last bits between host and devices, and --fp=strict wants equal bits [NW0205]
    // CHECK-NEXT: [[#@LINE+3]] |     a[i] = sinf(a[i]);
    // CHECK-NEXT: {{^      [|]            \^$}}
    // CHECK-NEXT: = help: compile without --fp=strict to offload this nest
    a[i] = sinf(a[i]);
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
