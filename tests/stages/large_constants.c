// Constants near the ends of types: wider numbers where sizes have to be larger than a constant, a remark where no address is large enough,
// and sizes that kernels refuse because of their own numbers are no finding.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: 'a' that this nest touches need addresses of more than 64 bits [NW0206]
// CHECK-NOT: NW0297
// CHECK: buffer a elements [1000000007,
// CHECK: launch late_0_step0 on {{.*}} when ((long long)n >= 1000000008)
// CHECK: kernel row_1_step0
// CHECK: kernel wrapped_2_step0
void far(long n, int a[4]) {
  for (long i = (-9223372036854775807 - 1); i < 64; i++)
    if (16 * i < 109 * n)
      a[i] = 1;
}
void late(int n, int a[n]) {
  for (int i = 1000000007; i < n; i++)
    a[i] = 2 * (i % 100);
}
void row(int i, int n, int a[n][n]) {
  for (int j = 1; j < i; j++)
    a[i][j] = 1;
}
void wrapped(int n, float a[n], float b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = a[((unsigned long long)n - -1) - i];
}
