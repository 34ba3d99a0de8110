// Division and modulo by constants are part of the model.
// RUN: %nestwarp compile --emit=program %s | FileCheck %s
// CHECK: S0 for [n] -> { S0[i0] : (-1 + i0) mod 3 = 0
// CHECK: writes {{.*}}-2 + i0 <= 3o0 <= i0
void f(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    if (i % 3 == 1)
      a[i / 3] = i;
}
