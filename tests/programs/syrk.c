// Symmetric rank-k update of the lower triangle: C = alpha*A*A^T + beta*C.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void syrk(int n, int m, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[n][n], DATA_TYPE A[n][m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += alpha * A[i][k] * A[j][k];
  }
}
