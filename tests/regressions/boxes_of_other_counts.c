// was: boxes whose counts differ by one or two were refused ('widths'): the first bound of the
//      run-time check that was large enough was taken, and missing for a larger count
// now: each count finds a bound, whichever comes first
// expect: offload
// fp: tol
#include <stdio.h>

static double sum(int n, double A[restrict n + 1][n][n - 1]) {
  double s = 0;
  for (int i = 0; i < n + 1; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n - 1; k++)
        s += A[i][j][k];
  return s;
}

static void halo(int n, double A[restrict n + 2][n + 2][n + 2][n]) {
  for (int i = 0; i < n + 2; i++)
    for (int j = 0; j < n + 2; j++)
      for (int k = 1; k < n - 1; k++)
        for (int l = 0; l < n; l++)
          A[i][j][k][l] = i + 2 * j + 3 * k + l;
}

static void steps(int n, double A[restrict n][n][n][n]) {
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < n; j += 3)
      for (int k = 1; k < n - 1; k += 5)
        for (int l = 0; l < n; l++)
          A[i][j][k][l] += 1;
}

int main(void) {
  enum { N = 13 };
  static double A[(N + 2) * (N + 2) * (N + 2) * N];
  halo(N, (double (*)[N + 2][N + 2][N])A);
  steps(N, (double (*)[N][N][N])A);
  for (int k = 0; k < (int)(sizeof A / sizeof *A); k += 101)
    printf("%g\n", A[k]);
  printf("%g\n", sum(N, (double (*)[N][N - 1])A));
  return 0;
}
