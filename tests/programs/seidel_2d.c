// Nine-point averaging in place (Gauss-Seidel order).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void seidel_2d(int tsteps, int n, DATA_TYPE A[n][n]) {
  for (int t = 0; t < tsteps; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] +
                   A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                  9;
}

// Integers of this size are soon averaged away: spread them.
void prepare_seidel_2d(int tsteps, int n, DATA_TYPE A[n][n]) {
  (void)tsteps;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] *= 1000;
}
