// A 5 x 5 filter over an image of bytes: a block works on a tile of it, and its neighbours.
// staged: in weight
void gauss(int n, unsigned char in[n][n], float weight[5][5], unsigned char out[n][n]) {
#pragma acc share(in[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++) {
      float sum = 0;
      for (int u = 0; u < 5; u++)
        for (int v = 0; v < 5; v++)
          sum += weight[u][v] * in[i + u - 2][j + v - 2];
      out[i][j] = (unsigned char)sum;
    }
}

void gauss_coalesce(int n, unsigned char in[n][n], float weight[5][5], unsigned char out[n][n]) {
#pragma acc share(in[TB_Y][TB_X]:coalesce)
#pragma acc parallel loop collapse(2)
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++) {
      float sum = 0;
      for (int u = 0; u < 5; u++)
        for (int v = 0; v < 5; v++)
          sum += weight[u][v] * in[i + u - 2][j + v - 2];
      out[i][j] = (unsigned char)sum;
    }
}

// Weights that add up to 1, so that sums are bytes.
void prepare_gauss(int n, unsigned char in[n][n], float weight[5][5], unsigned char out[n][n]) {
  const int binomial[5] = {1, 4, 6, 4, 1};
  for (int u = 0; u < 5; u++)
    for (int v = 0; v < 5; v++)
      weight[u][v] = binomial[u] * binomial[v] / 256.0f;
}

void prepare_gauss_coalesce(int n, unsigned char in[n][n], float weight[5][5], unsigned char out[n][n]) { prepare_gauss(n, in, weight, out); }
