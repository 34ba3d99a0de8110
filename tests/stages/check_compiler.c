// `check` builds with the compiler that NESTWARP_CC names.
// RUN: not env NESTWARP_CC=false %nestwarp check -q %s --size n=9 | FileCheck %s
// CHECK: scale: not checked: the C compiler refused
void scale(int n, float a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 2 + 1;
}
