// expect: offload
// fp: tol
// Products and convolutions in more than two parallel dimensions, and a stencil of three.
#include <stdio.h>

enum { N = 3, C = 9, K = 70, H = 12, W = 75, M = 33 };
static float in[N][C][H][W], w[K][C][3][3], out[N][K][H - 2][W - 2];
static float a[5][M][M], b[5][M][M], c[5][M][M];

static void convolution(int n_, int c_, int k_, int h, int wd) {
  for (int n = 0; n < n_; n++)
    for (int k = 0; k < k_; k++)
      for (int y = 0; y < h - 2; y++)
        for (int x = 0; x < wd - 2; x++) {
          float s = 0;
          for (int q = 0; q < c_; q++)
            for (int r = 0; r < 3; r++)
              for (int t = 0; t < 3; t++)
                s += in[n][q][y + r][x + t] * w[k][q][r][t];
          out[n][k][y][x] = s;
        }
}

static void products(int many, int m) {
  for (int q = 0; q < many; q++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        for (int l = 0; l < m; l++)
          c[q][i][j] += a[q][i][l] * b[q][l][j];
}

static void stencil(int many, int m) {
  for (int q = 1; q < many - 1; q++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[q][i][j] = c[q - 1][i][j] + c[q + 1][i][j] + c[q][i - 1][j] - c[q][i][j + 1];
}

int main(void) {
  for (int i = 0; i < N * C * H * W; i++)
    (&in[0][0][0][0])[i] = (float)(i % 17) - 8;
  for (int i = 0; i < K * C * 9; i++)
    (&w[0][0][0][0])[i] = (float)(i % 13) - 6;
  for (int i = 0; i < 5 * M * M; i++) {
    (&a[0][0][0])[i] = (float)(i % 11) - 5;
    (&b[0][0][0])[i] = (float)(i % 7) - 3;
    (&c[0][0][0])[i] = (float)(i % 5);
  }
  convolution(N, C, K, H, W);
  products(5, M);
  stencil(5, M);
  for (int i = 0; i < N * K * (H - 2) * (W - 2); i += 37)
    printf("%g\n", (&out[0][0][0][0])[i]);
  for (int i = 0; i < 5 * M * M; i += 13)
    printf("%g %g\n", (&a[0][0][0])[i], (&c[0][0][0])[i]);
  return 0;
}
