// expect: offload
// kernels: optimized
// fp: tol
// feature: rows in several parallel loops, sums over several loops: softmax of heads, norms of groups, means of channels and pixels
#include <math.h>
#include <stdio.h>

#define B 3
#define H 5
#define N 11
#define M 147

static float x[B][H][N][M], y[B][H][N][M], z[B][H], mean[H], square[H];

static void softmax(int b, int h, int n, int m) {
  for (int k = 0; k < b; k++)
    for (int g = 0; g < h; g++)
      for (int i = 0; i < n; i++) {
        float most = -INFINITY, s = 0;
        for (int j = 0; j < m; j++)
          most = fmaxf(most, x[k][g][i][j]);
        for (int j = 0; j < m; j++)
          y[k][g][i][j] = expf(x[k][g][i][j] - most);
        for (int j = 0; j < m; j++)
          s += y[k][g][i][j];
        for (int j = 0; j < m; j++)
          y[k][g][i][j] /= s;
      }
}

static void norm(int b, int h, int n, int m) {
  for (int k = 0; k < b; k++)
    for (int g = 0; g < h; g++) {
      float s = 0, q = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
          s += x[k][g][i][j];
      float average = s / (n * m);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
          float d = x[k][g][i][j] - average;
          q += d * d;
        }
      float scale = 1 / sqrtf(q / (n * m) + 1e-5f);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
          y[k][g][i][j] = (x[k][g][i][j] - average) * scale;
    }
}

static void pool(int b, int h, int n, int m) {
  for (int k = 0; k < b; k++)
    for (int g = 0; g < h; g++) {
      float s = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
          s += x[k][g][i][j];
      z[k][g] = s / (n * m);
    }
}

// Of rows that grow; no value of some.
static void triangle(int b, int h, int n) {
  for (int k = 0; k < b; k++)
    for (int g = 0; g < h; g++) {
      float s = 0;
      for (int i = 0; i < n - g; i++)
        for (int j = k; j < 12 * i; j++)
          s += x[k][g][i][j];
      z[k][g] = s;
    }
}

static void channels(int b, int h, int n, int m) {
  for (int g = 0; g < h; g++) {
    float s = 0, q = 0;
    for (int k = 0; k < b; k++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
          s += x[k][g][i][j];
          q += x[k][g][i][j] * x[k][g][i][j];
        }
    mean[g] = s;
    square[g] = q;
  }
}

static void show(const char *name) {
  printf("%s", name);
  for (int k = 0; k < B; k++)
    for (int g = 0; g < H; g++) {
      for (int i = 0; i < N; i += 5)
        for (int j = 0; j < M; j += 29)
          printf(" %.5e", 10 + y[k][g][i][j]); // some are nearly 0
      printf("\n %.4e\n", z[k][g] == z[k][g] ? z[k][g] : NAN); // of any sign
    }
}

int main(void) {
  unsigned seed = 77u;
  for (int k = 0; k < B; k++)
    for (int g = 0; g < H; g++)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
          seed = seed * 1664525u + 1013904223u;
          x[k][g][i][j] = 0.25f + (float)(seed >> 9) / 8388608.0f;
        }
  softmax(B, H, N, M);
  show("softmax");
  softmax(2, H, N, 40); // a warp for each row
  show("short");
  norm(B, H, N, M);
  pool(B, H, N, M);
  show("norm");
  norm(1, 2, N, 33);
  pool(B, 2, 3, 34);
  show("less");
  triangle(B, H, N);
  show("triangle");
  softmax(0, H, N, M);
  pool(B, H, 0, M);
  show("nothing");
  channels(B, H, N, M);
  for (int g = 0; g < H; g++)
    printf("%.4e %.4e\n", mean[g], square[g]);
}
