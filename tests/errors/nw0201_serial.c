// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, float a[n]) {
  // CHECK: nw0201_serial.c:[[#@LINE+4]]:3: remark: no loop of this nest is parallel, and neither is a wavefront over it: each iteration needs the one before it [NW0201]
  // CHECK-NEXT: [[#@LINE+3]] |   for (int i = 1; i < n; i++)
  // CHECK-NEXT: {{^      [|]   \^$}}
  // CHECK-NEXT: = help: it stays on the host
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * 0.5f + a[i];
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
