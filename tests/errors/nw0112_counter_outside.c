// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, int a[n], int b[n]) {
  int j;
  for (int i = 0; i < n; i++) {
    for (j = 0; j < n; j++)
      a[j] = i;
    // CHECK: nw0112_counter_outside.c:[[#@LINE+4]]:12: remark: the counter 'j' is read outside its loop [NW0112]
    // CHECK-NEXT: [[#@LINE+3]] |     b[i] = j;
    // CHECK-NEXT: {{^      [|]            \^$}}
    // CHECK-NEXT: = help: use a separate variable
    b[i] = j;
  }
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
