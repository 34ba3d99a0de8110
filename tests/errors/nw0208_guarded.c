// NW0208: memory that is touched only where the data say so; with its extent declared it is taken.
// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
void unknown(int n, const int mask[n], const int *a, int b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = mask[i] ? a[i] : 0;
}
// CHECK: :4:{{[0-9]+}}: remark: 'a' is touched only under conditions that depend on data{{.*}} [NW0208]
// CHECK: for (int i = 0; i < n; i++)
// CHECK: ^
// CHECK: "function": "known"
void known(int n, const int mask[n], const int a[n], int b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = mask[i] ? a[i] : 0;
}
