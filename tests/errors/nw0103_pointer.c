// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, int **rows) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      // CHECK: nw0103_pointer.c:[[#@LINE+4]]:7: remark: the array is reached through a pointer loaded from memory [NW0103]
      // CHECK-NEXT: [[#@LINE+3]] |       rows[i][j] = i + j;
      // CHECK-NEXT: {{^      [|]       \^$}}
      // CHECK-NEXT: = help: copy the pointer to a local variable before the nest
      rows[i][j] = i + j;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
