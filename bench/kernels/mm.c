// C = A B.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void mm(int m, int n, int k, const DATA_TYPE A[m][k], const DATA_TYPE B[k][n], DATA_TYPE C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE sum = 0;
      for (int l = 0; l < k; l++)
        sum += A[i][l] * B[l][j];
      C[i][j] = sum;
    }
}
