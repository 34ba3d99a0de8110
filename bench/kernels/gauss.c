// A 5 x 5 filter over an image of bytes; beyond the border the image is black.
void gauss(int n, const unsigned char in[n][n], const float weight[5][5], unsigned char out[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int u = 0; u < 5; u++)
        for (int v = 0; v < 5; v++)
          if (i + u >= 2 && i + u < n + 2 && j + v >= 2 && j + v < n + 2)
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
