// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
#define FILL for (int i = 0; i < n; i++) a[i] = i; a[0] = 1;
void bad(int n, int a[n]) {
  // CHECK: nw0109_macro.c:[[#@LINE+4]]:3: remark: the loop begins or ends inside a macro [NW0109]
  // CHECK-NEXT: [[#@LINE+3]] |   FILL
  // CHECK-NEXT: {{^      [|]   \^$}}
  // CHECK-NEXT: = help: put the whole statement into the macro, or none of it
  FILL
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
