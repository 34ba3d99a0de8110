// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, const int *table, const int *key, int a[n]) {
  // CHECK: nw0204_extent.c:[[#@LINE+4]]:3: remark: nestwarp cannot tell how much of 'table' the nest touches: a subscript is not affine and the extent is unknown [NW0204]
  // CHECK-NEXT: [[#@LINE+3]] |   for (int i = 0; i < n; i++)
  // CHECK-NEXT: {{^      [|]   \^$}}
  // CHECK-NEXT: = help: declare the parameter with its extent, as in table[n]
  for (int i = 0; i < n; i++)
    a[i] = table[key[i] & 63];
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
