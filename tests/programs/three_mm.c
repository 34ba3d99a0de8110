// Product of two matrix products: G = (A*B)*(C*D).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void three_mm(int ni, int nj, int nk, int nl, int nm, DATA_TYPE A[ni][nk], DATA_TYPE B[nk][nj],
              DATA_TYPE C[nj][nm], DATA_TYPE D[nm][nl], DATA_TYPE AB[ni][nj], DATA_TYPE CD[nj][nl],
              DATA_TYPE G[ni][nl]) {
  int i, j, k;

  // AB = A * B
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++) {
      AB[i][j] = 0;
      for (k = 0; k < nk; ++k)
        AB[i][j] += A[i][k] * B[k][j];
    }

  // CD = C * D
  for (i = 0; i < nj; i++)
    for (j = 0; j < nl; j++) {
      CD[i][j] = 0;
      for (k = 0; k < nm; ++k)
        CD[i][j] += C[i][k] * D[k][j];
    }

  // G = AB * CD
  for (i = 0; i < ni; i++)
    for (j = 0; j < nl; j++) {
      G[i][j] = 0;
      for (k = 0; k < nj; ++k)
        G[i][j] += AB[i][k] * CD[k][j];
    }
}

// Keeps the inputs small, so that three chained integer products of a few hundred terms fit.
void prepare_three_mm(int ni, int nj, int nk, int nl, int nm, DATA_TYPE A[ni][nk],
                      DATA_TYPE B[nk][nj], DATA_TYPE C[nj][nm], DATA_TYPE D[nm][nl],
                      DATA_TYPE AB[ni][nj], DATA_TYPE CD[nj][nl], DATA_TYPE G[ni][nl]) {
  for (int k = 0; k < nk; k++) {
    for (int i = 0; i < ni; i++)
      A[i][k] /= 4;
    for (int j = 0; j < nj; j++)
      B[k][j] /= 4;
  }
  for (int k = 0; k < nm; k++) {
    for (int j = 0; j < nj; j++)
      C[j][k] /= 4;
    for (int l = 0; l < nl; l++)
      D[k][l] /= 4;
  }
  AB[0][0] = 0;
  CD[0][0] = 0;
  G[0][0] = 0;
}
