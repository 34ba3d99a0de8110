// y = A x.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void mv(int m, int n, const DATA_TYPE A[m][n], const DATA_TYPE x[n], DATA_TYPE y[m]) {
  for (int i = 0; i < m; i++) {
    DATA_TYPE sum = 0;
    for (int j = 0; j < n; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}
