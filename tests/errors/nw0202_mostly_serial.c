// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, float a[n], float b[n]) {
  // CHECK: nw0202_mostly_serial.c:[[#@LINE+4]]:3: remark: a large part of this nest has no parallel loop and would run in a single thread on the device [NW0202]
  // CHECK-NEXT: [[#@LINE+3]] |   for (int i = 1; i < n; i++) {
  // CHECK-NEXT: {{^      [|]   \^$}}
  // CHECK-NEXT: = help: move that part to a nest of its own
  for (int i = 1; i < n; i++) {
    a[i] = a[i - 1] * 0.5f + a[i];
    b[i] = a[i] * 2;
  }
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
