// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, long double x[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0102_type.c:[[#@LINE+4]]:12: remark: values of type 'long double' have no counterpart on a device [NW0102]
    // CHECK-NEXT: [[#@LINE+3]] |     x[i] = 1;
    // CHECK-NEXT: {{^      [|]            \^$}}
    // CHECK-NEXT: = help: use float, double or an integer type of at most 64 bits
    x[i] = 1;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
