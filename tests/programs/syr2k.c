// Symmetric rank-2k update of the lower triangle: C = alpha*(A*B^T + B*A^T) + beta*C.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define _PB_N n
#define _PB_M m

void syr2k(int n, int m, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[n][n], DATA_TYPE A[n][m],
           DATA_TYPE B[n][m]) {
  int i, j, k;

  for (i = 0; i < _PB_N; i++) {
    for (j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (k = 0; k < _PB_M; k++)
      for (j = 0; j <= i; j++)
        C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
  }
}
