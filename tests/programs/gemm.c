// General matrix product with marked region: C = alpha*A*B + beta*C.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void gemm(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE C[ni][nj],
          DATA_TYPE A[ni][nk], DATA_TYPE B[nk][nj]) {
#pragma scop
  for (int i = 0; i < ni; i++) {
    for (int j = 0; j < nj; j++)
      C[i][j] *= beta;
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < nj; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
#pragma endscop
}
