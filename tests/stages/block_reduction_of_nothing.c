// A reduction that has no instances for the sizes that are let through (rows of M1 are taken for m, not m + 1): there is nothing to share out, and the nest
// is taken all the same.
// RUN: %nestwarp compile --emit=cuda %s 2>&1 | FileCheck %s
// CHECK-NOT: NW0297
// CHECK: __global__
// CHECK-NOT: NW0297
float fminf(float, float);
float fmaxf(float, float);
static int helper(int a, int b) { return (a * 3 + b) & 255; }
void kernel(int n, int m, unsigned *A, long long D[3][4], signed char M0[3][10], unsigned *M1, double *results) {
  signed char s = 3;
  short t1 = 1;
  if (((short)(M1[0 * (m + 1) + 0])) > t1) t1 = ((short)(M1[0 * (m + 1) + 0]));
  for (int i = 1; i < 3; i++) {
    float t2 = (A[i] % 6) + ((-2.0f) + (A[i] & 511));
    for (int j = 1; j < m; j++) {
      t2 = t2 + (((M1[i * (m + 1) + j]) / 7) & 511);
      M0[i][j] = 0 + 8;
    }
    A[i] = ((int)(fmaxf(fminf(t2, 400.0f), (-400.0f)))) + ((s * ((D[i][i + 1]) % 1000)) & 255);
  }
  results[0] = (double)s;
}
