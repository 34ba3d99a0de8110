// Rank-two update and two matrix-vector products (vector generalisation of gemm).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void gemver(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[n][n], DATA_TYPE u1[n],
            DATA_TYPE v1[n], DATA_TYPE u2[n], DATA_TYPE v2[n], DATA_TYPE w[n], DATA_TYPE x[n],
            DATA_TYPE y[n], DATA_TYPE z[n]) {
  // A += u1*v1^T + u2*v2^T
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];

  // x = x + beta*A^T*y + z
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < n; i++)
    x[i] = x[i] + z[i];

  // w = w + alpha*A*x
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] = w[i] + alpha * A[i][j] * x[j];
}

// Keeps the inputs small, so that the chained integer products fit.
void prepare_gemver(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[n][n], DATA_TYPE u1[n],
                    DATA_TYPE v1[n], DATA_TYPE u2[n], DATA_TYPE v2[n], DATA_TYPE w[n],
                    DATA_TYPE x[n], DATA_TYPE y[n], DATA_TYPE z[n]) {
  (void)alpha;
  (void)beta;
  for (int i = 0; i < n; i++) {
    u1[i] /= 4;
    v1[i] /= 4;
    u2[i] /= 4;
    v2[i] /= 4;
    w[i] /= 4;
    x[i] /= 4;
    y[i] /= 4;
    z[i] /= 4;
    for (int j = 0; j < n; j++)
      A[i][j] /= 4;
  }
}
