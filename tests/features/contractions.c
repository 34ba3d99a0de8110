// expect: offload
// strict-expect: any
// feature: products that sum over several loops: contractions, convolutions with channels
#include <stdio.h>

#define M 70
#define N 66
#define K 13
#define Q 5

static float a[M][Q][K], b[Q][K][N], c[M][N];
static float image[K][M + 2][N + 2], filter[Q * 7][K][3][3], out[Q * 7][M][N];
static float signal[K][200], taps[64][K][5], filtered[64][196];

static void fill(float *x, int many, int by) {
  for (int i = 0; i < many; i++)
    x[i] = (float)(i * by % 17) - 8;
}

static void contract(int m, int n, int q, int k) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int r = 0; r < q; r++)
        for (int l = 0; l < k; l++)
          s += a[i][r][l] * b[r][l][j];
      c[i][j] = s;
    }
}

static void convolve(int m, int n, int k) {
  for (int o = 0; o < Q * 7; o++)
    for (int y = 0; y < m; y++)
      for (int x = 0; x < n; x++) {
        float s = 0;
        for (int l = 0; l < k; l++)
          for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
              s += image[l][y + dy][x + dx] * filter[o][l][dy][dx];
        out[o][y][x] = s;
      }
}

static void taken(int n, int k) {
  for (int o = 0; o < 64; o++)
    for (int x = 0; x < n; x++) {
      float s = 1;
      for (int l = 0; l < k; l++)
        for (int d = 0; d < 5; d++)
          s += signal[l][x + d] * taps[o][l][d];
      filtered[o][x] = s;
    }
}

static double sumOf(const float *x, int many) {
  double s = 0;
  for (int i = 0; i < many; i++)
    s += x[i] * (i % 13 + 1);
  return s;
}

int main(void) {
  fill(&a[0][0][0], M * Q * K, 3);
  fill(&b[0][0][0], Q * K * N, 5);
  fill(&image[0][0][0], K * (M + 2) * (N + 2), 7);
  fill(&filter[0][0][0][0], Q * 7 * K * 9, 11);
  fill(&signal[0][0], K * 200, 2);
  fill(&taps[0][0][0], 64 * K * 5, 13);
  contract(M, N, Q, K);
  printf("%.17g\n", sumOf(&c[0][0], M * N));
  contract(64, 64, 4, 8);
  printf("%.17g\n", sumOf(&c[0][0], M * N));
  convolve(M, N, K);
  printf("%.17g\n", sumOf(&out[0][0][0], Q * 7 * M * N));
  convolve(64, 64, 8);
  printf("%.17g\n", sumOf(&out[0][0][0], Q * 7 * M * N));
  taken(196, K);
  printf("%.17g\n", sumOf(&filtered[0][0], 64 * 196));
  taken(1, 1);
  printf("%.17g\n", sumOf(&filtered[0][0], 64 * 196));
}
