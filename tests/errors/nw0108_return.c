// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
int bad(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    if (a[i] == 7)
      // CHECK: nw0108_return.c:[[#@LINE+4]]:7: remark: a return leaves the nest [NW0108]
      // CHECK-NEXT: [[#@LINE+3]] |       return i;
      // CHECK-NEXT: {{^      [|]       \^$}}
      // CHECK-NEXT: = help: let the loop run to its end, or search after it
      return i;
  return -1;
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
