// Two matrix-vector products: x1 += A * y1 and x2 += A^T * y2 (with a local accumulator).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void mvt(int n, DATA_TYPE x1[n], DATA_TYPE x2[n], DATA_TYPE y1[n], DATA_TYPE y2[n],
         DATA_TYPE A[n][n]) {
  for (int i = 0; i < n; i++) {
    DATA_TYPE acc = x1[i];
    for (int j = 0; j < n; j++)
      acc += A[i][j] * y1[j];
    x1[i] = acc;
  }

  for (int i = 0; i < n; i++) {
    DATA_TYPE acc = x2[i];
    for (int j = 0; j < n; j++)
      acc += A[j][i] * y2[j];
    x2[i] = acc;
  }
}
