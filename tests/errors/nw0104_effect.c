// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, int a[n], int k) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0104_effect.c:[[#@LINE+4]]:23: remark: this assignment is evaluated only under a condition [NW0104]
    // CHECK-NEXT: [[#@LINE+3]] |     a[i] = i > 3 ? (k = i) : 0;
    // CHECK-NEXT: {{^      [|]                       \^$}}
    // CHECK-NEXT: = help: write it as a separate statement
    a[i] = i > 3 ? (k = i) : 0;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
