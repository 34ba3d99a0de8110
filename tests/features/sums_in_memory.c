// expect: offload
// fp: tol
// Products whose sums are elements of memory, with loops in any order: set before, scaled before,
// used behind, over triangles, of whole numbers, in a time loop, two sums into one array.
#include <stdio.h>

enum { N = 67, M = 45, P = 53 };
static float a[N][P], b[P][M], c[N][M], d[N][M];
static double u[N][N], v[N][N], w[N][N];
static int p[N][P], q[P][M], r[N][M];

static void rows(int n, int m, int l) { // i, k, j
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      c[i][j] = 0;
    for (int k = 0; k < l; k++)
      for (int j = 0; j < m; j++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

static void scaled(int n, int m, int l, float alpha, float beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] *= beta;
      for (int k = 0; k < l; k++)
        c[i][j] += alpha * a[i][k] * b[k][j];
      d[i][j] = c[i][j] + 1;
    }
}

static void whole(int n, int m, int l) { // k, i, j, and down
  for (int k = 0; k < l; k++)
    for (int i = 0; i < n; i++)
      for (int j = m - 1; j >= 0; j--)
        r[i][j] -= p[i][k] * q[k][j];
}

static void triangle(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = j; k < n; k++)
        u[i][j] += v[i][k] * w[j][k];
}

static void steps(int n, int m, int l, int times) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        for (int k = 0; k < l; k++)
          d[i][j] += a[i][k] * b[k][j] * 0.125f;
        for (int k = 0; k < l; k++)
          d[i][j] += a[i][k] * b[k][j];
        d[i][j] *= 0.5f;
      }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < P; k++) {
      a[i][k] = (float)((i * 3 + k * 5) % 17 - 8);
      p[i][k] = (i * 7 + k * 3) % 101;
    }
  for (int k = 0; k < P; k++)
    for (int j = 0; j < M; j++) {
      b[k][j] = (float)((k * 11 + j) % 13 - 6);
      q[k][j] = (k * 5 + j * 13) % 97;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      u[i][j] = i - j;
      v[i][j] = (i * 5 + j) % 19;
      w[i][j] = (i + j * 3) % 23;
    }
  rows(N, M, P);
  rows(N, M - 3, 0); // sums of nothing
  scaled(N, M, P, 0.5f, -2.0f);
  whole(N, M, P);
  triangle(N);
  steps(N, M, P, 3);
  double sum = 0;
  long wholes = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      sum += c[i][j] * (i % 7) + d[i][j] * (j % 5) + u[i][j];
      wholes += (long)r[i][j] * (i + j);
      if ((i + j) % 29 == 0)
        printf("%.4g %.4g %d %.6g\n", c[i][j], d[i][j], r[i][j], u[i][j]);
    }
  printf("%.5g %ld\n", sum, wholes);
  return 0;
}
