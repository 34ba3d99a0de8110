// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
volatile int port[64];
void bad(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0101_volatile.c:[[#@LINE+3]]:12: remark: a volatile object is accessed here; every access must happen, in order, on the host [NW0101]
    // CHECK-NEXT: [[#@LINE+2]] |     a[i] = port[i];
    // CHECK-NEXT: {{^      [|]            \^$}}
    a[i] = port[i];
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
