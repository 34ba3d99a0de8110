// Product with a symmetric matrix stored in its lower triangle: C = alpha*A*B + beta*C.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void symm(int m, int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[m][n], DATA_TYPE A[m][m],
          DATA_TYPE B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE left = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        left += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * left;
    }
}
