// Dependences between two loops: a flow through a, an anti-dependence through b, and nothing carried by a loop.
// RUN: %nestwarp compile --emit=deps %s | FileCheck %s
// CHECK: flow a: [n] -> { S0[i0] -> S1[i0] :
// CHECK: anti b: [n] -> { S0[i0] -> S1[-1 + i0] :
// CHECK-NOT: {{flow|anti|output}}
// CHECK: live-in: {{.*}}S0[i0] -> b[-1 + i0]
void f(int n, int a[n], int b[n]) {
  for (int i = 1; i < n; i++)
    a[i] = b[i - 1] + 1;
  for (int i = 1; i < n; i++)
    b[i] = a[i];
}
