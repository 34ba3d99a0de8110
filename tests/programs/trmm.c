// In-place product with a unit lower triangular matrix: B = alpha * A^T * B.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void trmm(int m, int n, DATA_TYPE alpha, DATA_TYPE A[m][m], DATA_TYPE B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}
