// out = in * weight, a filter of 7 x 7 that stays within the image: in has three more rows and columns on every side.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void conv2d(int m, int n, const DATA_TYPE in[m + 6][n + 6], const DATA_TYPE weight[7][7], DATA_TYPE out[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE sum = 0;
      for (int u = 0; u < 7; u++)
        for (int v = 0; v < 7; v++)
          sum += weight[u][v] * in[i + u][j + v];
      out[i][j] = sum;
    }
}
