// Two chained matrix products: D = alpha*A*B*C + beta*D.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void two_mm(int ni, int nj, int nk, int nl, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE AB[ni][nj],
            DATA_TYPE A[ni][nk], DATA_TYPE B[nk][nj], DATA_TYPE C[nj][nl], DATA_TYPE D[ni][nl]) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      AB[i][j] = 0;
      for (int k = 0; k < nk; k++)
        AB[i][j] += alpha * A[i][k] * B[k][j];
    }

  for (int i = 0; i < ni; i++)
    for (int l = 0; l < nl; l++) {
      D[i][l] *= beta;
      for (int j = 0; j < nj; j++)
        D[i][l] += AB[i][j] * C[j][l];
    }
}
