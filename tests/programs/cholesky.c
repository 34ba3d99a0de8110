// Cholesky factorisation A = L * L^T, L replaces the lower triangle of A.
// int: no
#include <math.h>

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define ROOT(x) sqrt(x)

void cholesky(int n, DATA_TYPE A[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = ROOT(A[i][i]);
  }
}

// Makes A symmetric and diagonally dominant, hence positive definite.
void prepare_cholesky(int n, DATA_TYPE A[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      A[j][i] = A[i][j];
    A[i][i] += n + 1;
  }
}
