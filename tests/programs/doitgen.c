// Multi-resolution kernel: every row A[r][q][.] is replaced by its product with matrix W.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void doitgen(int nr, int nq, int np, DATA_TYPE A[nr][nq][np], DATA_TYPE W[np][np],
             DATA_TYPE row[np]) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        row[p] = 0;
        for (int s = 0; s < np; s++)
          row[p] += A[r][q][s] * W[s][p];
      }
      for (int p = 0; p < np; p++)
        A[r][q][p] = row[p];
    }
}
