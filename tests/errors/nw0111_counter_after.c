// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
int bad(int n, int a[n][n]) {
  int j = 0;
  for (int i = 0; i < n; i++)
    // CHECK: nw0111_counter_after.c:[[#@LINE+4]]:5: remark: the value of an inner loop's counter is used after the nest [NW0111]
    // CHECK-NEXT: [[#@LINE+3]] |     if (i % 3 == 0)
    // CHECK-NEXT: {{^      [|]     \^$}}
    // CHECK-NEXT: = help: declare the counter in the for statement
    if (i % 3 == 0)
      for (j = 0; j < i; j++)
        a[i][j] = 1;
  return j;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
