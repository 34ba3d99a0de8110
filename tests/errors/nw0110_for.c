// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, int a[n]) {
  // CHECK: nw0110_for.c:[[#@LINE+4]]:3: remark: this for loop does not count one variable from a start by a constant step [NW0110]
  // CHECK-NEXT: [[#@LINE+3]] |   for (int i = 1; i < n; i *= 2)
  // CHECK-NEXT: {{^      [|]   \^$}}
  // CHECK-NEXT: = help: write it as for (int i = start; i < end; i += step) and leave i alone in the body
  for (int i = 1; i < n; i *= 2)
    a[i] = i;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
