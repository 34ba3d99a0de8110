// NW0204 advises to declare the parameter with its extent: that has to help (a constant extent promises
// something only with the word static).
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0204
// CHECK: buffer table elements [0, 256) in{{$}}
void constant(int n, const int key[n], int a[n], const int table[static 256]) {
  for (int i = 0; i < n; i++)
    a[i] = table[key[i] & 255];
}
// CHECK-NOT: NW0204
// CHECK: buffer table elements [0, {{.*}}m{{.*}}) in{{$}}
void variable(int n, int m, const int key[n], int a[n], const int table[m]) {
  for (int i = 0; i < n; i++)
    a[i] = table[key[i]];
}
