// expect: offload
// kernels: optimized
// feature: nests of four and five parallel loops: pooling, depthwise convolution, a permutation; also of few or no values
#include <math.h>
#include <stdio.h>

#define N 2
#define C 3
#define H 9
#define W 37

static float x[N][C][2 * H + 2][2 * W + 2], f[C][3][3], y[N][C][H][W], z[N][C][2 * H][2 * W];
static int five[3][4][5][6][7], turned[7][6][5][4][3];

static void pool(int n, int c, int h, int w) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c; k++)
      for (int a = 0; a < h; a++)
        for (int b = 0; b < w; b++) {
          float most = -INFINITY;
          for (int r = 0; r < 2; r++)
            for (int q = 0; q < 2; q++)
              most = fmaxf(most, x[i][k][2 * a + r][2 * b + q]);
          y[i][k][a][b] = most;
        }
}

static void depthwise(int n, int c, int h, int w) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c; k++)
      for (int a = 0; a < h; a++)
        for (int b = 0; b < w; b++) {
          float s = 0;
          for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
              s += x[i][k][a + r][b + q] * f[k][r][q];
          z[i][k][a][b] = s;
        }
}

// From values that are not zero on; the last dimension depends on another.
static void inside(int n, int c, int h, int w) {
  for (int i = 1; i < n; i++)
    for (int k = i; k < c; k++)
      for (int a = 2; a < h - 1; a++)
        for (int b = 1; b < w - a; b++)
          y[i][k][a][b] = 2 * x[i][k][a][b + 1] - x[i][k][a - 1][b];
}

static void turn(int m) {
  for (int i = 0; i < m - 4; i++)
    for (int j = 0; j < m - 3; j++)
      for (int k = 0; k < m - 2; k++)
        for (int l = 0; l < m - 1; l++)
          for (int o = 0; o < m; o++)
            turned[o][l][k][j][i] = five[i][j][k][l][o] + i;
}

static void show(const char *name) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < C; k++) {
      for (int a = 0; a < H; a++)
        for (int b = 0; b < W; b++)
          sum += y[i][k][a][b] * (1 + a + 3 * b);
      for (int a = 0; a < 2 * H; a++)
        for (int b = 0; b < 2 * W; b++)
          weighted += z[i][k][a][b] * (1 + a + 3 * b);
    }
  printf("%s %.9e %.9e\n", name, sum, weighted);
}

int main(void) {
  unsigned seed = 5u;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < C; k++)
      for (int a = 0; a < 2 * H + 2; a++)
        for (int b = 0; b < 2 * W + 2; b++) {
          seed = seed * 1664525u + 1013904223u;
          x[i][k][a][b] = (float)(seed >> 24) - 100;
        }
  for (int k = 0; k < C; k++)
    for (int r = 0; r < 9; r++)
      f[k][r / 3][r % 3] = k + r - 4;
  for (int i = 0; i < 3 * 4 * 5 * 6 * 7; i++)
    (&five[0][0][0][0][0])[i] = i;
  pool(N, C, H, W);
  depthwise(N, C, 2 * H, 2 * W);
  show("all");
  inside(N, C, H, W);
  show("inside");
  pool(1, 1, 2, 3);
  pool(0, C, H, W);
  depthwise(N, 1, 1, 8);
  depthwise(N, C, 3, 33);
  inside(2, 2, 3, 4);
  show("few");
  turn(7);
  turn(4);
  int sum = 0;
  for (int i = 0; i < 3 * 4 * 5 * 6 * 7; i++)
    sum += (i % 101) * (&turned[0][0][0][0][0])[i];
  printf("%d\n", sum);
}
