// Matrix transpose times matrix times vector: y = A^T * (A * x).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void atax(int m, int n, DATA_TYPE A[m][n], DATA_TYPE x[n], DATA_TYPE y[n], DATA_TYPE Ax[m]) {
  for (int j = 0; j < n; j++)
    y[j] = 0;

  for (int i = 0; i < m; i++) {
    Ax[i] = 0;
    for (int j = 0; j < n; j++)
      Ax[i] = Ax[i] + A[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] = y[j] + A[i][j] * Ax[i];
  }
}
