// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
int elsewhere(int);
void bad(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: nw0106_call.c:[[#@LINE+4]]:12: remark: 'elsewhere' is called, but its body is not visible here; it may have side effects [NW0106]
    // CHECK-NEXT: [[#@LINE+3]] |     a[i] = elsewhere(i);
    // CHECK-NEXT: {{^      [|]            \^$}}
    // CHECK-NEXT: = help: move the call out of the nest, or make the function's definition visible
    a[i] = elsewhere(i);
}

// Not the largest number: a name that belongs to the program.
double inf(void);
void own(int n, double a[n]) {
  for (int i = 0; i < n; i++)
    // CHECK: 'inf' is called, but its body is not visible here; it may have side effects [NW0106]
    a[i] = inf();
}

void good(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * i;
}
// The other nest is not held up by this one.
// CHECK: region {{[0-9]+}} of good
