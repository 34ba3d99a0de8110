// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
static int twice(const int *p) { return 2 * *p; }
void bad(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0105_function.c:[[#@LINE+4]]:12: remark: 'twice' takes a pointer [NW0105]
    // CHECK-NEXT: [[#@LINE+3]] |     a[i] = twice(a + i);
    // CHECK-NEXT: {{^      [|]            \^$}}
    // CHECK-NEXT: = help: pass values, or write the function's body into the nest
    a[i] = twice(a + i);
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
