// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, int a[n]) {
  for (int i = 0; i < n; i++) {
    // CHECK: nw0107_local_array.c:[[#@LINE+4]]:9: remark: the array 't' declared in the nest has no constant size [NW0107]
    // CHECK-NEXT: [[#@LINE+3]] |     int t[n];
    // CHECK-NEXT: {{^      [|]         \^$}}
    // CHECK-NEXT: = help: declare it before the nest, or give it a constant size
    int t[n];
    for (int j = 0; j < n; j++)
      t[j] = i * j;
    a[i] = t[i / 2];
  }
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
