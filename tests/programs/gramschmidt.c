// QR factorisation of A (m x n, m >= n) by the modified Gram-Schmidt process.
// int: no
#include <math.h>

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define ROOT(x) sqrt(x)

void gramschmidt(int m, int n, DATA_TYPE A[m][n], DATA_TYPE R[n][n], DATA_TYPE Q[m][n]) {
  int cols = n < m ? n : m; // at most m independent columns

  for (int k = 0; k < cols; k++) {
    DATA_TYPE norm2 = 0;
    for (int i = 0; i < m; i++)
      norm2 += A[i][k] * A[i][k];
    R[k][k] = ROOT(norm2);
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];

    for (int j = k + 1; j < cols; j++) {
      R[k][j] = 0;
      for (int i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

// A dominant diagonal makes the columns safely independent.
void prepare_gramschmidt(int m, int n, DATA_TYPE A[m][n], DATA_TYPE R[n][n], DATA_TYPE Q[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      if (i == j)
        A[i][j] += n + 1;
      Q[i][j] = 0;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      R[i][j] = 0;
}
