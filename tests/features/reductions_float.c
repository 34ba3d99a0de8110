// expect: offload
// kernels: optimized
// fp: tol
// feature: floating-point reductions: sum, product, min, max, dot product, rows and columns
#include <stdio.h>

#define R 43
#define C 83

static float a[R][C], x[C], y[R], columns[C];
static double mean[R];

static unsigned seed = 171u;

static float frnd(void) {
  seed = seed * 1664525u + 1013904223u;
  return 0.25f + (float)(seed >> 9) / 8388608.0f;
}

static void show(const char *name, int n, const float *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%.5e", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void scalars(int r, int c) {
  float sum = 0.0f, product = 1.0f, least = a[0][0], most = a[0][0], dot = 0.0f;

  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      sum += a[i][j];
      least = a[i][j] < least ? a[i][j] : least;
      most = a[i][j] > most ? a[i][j] : most;
    }
  for (int j = 0; j < c; j++) {
    dot += a[0][j] * x[j];
    product *= 0.5f + 0.625f * a[1][j];
  }
  printf("%.5e %.5e %.5e %.5e %.5e\n", sum, product, least, most, dot);
}

static void vectors(int r, int c) {
  for (int i = 0; i < r; i++) {
    float acc = 0.0f;
    double total = 0.0;
    for (int j = 0; j < c; j++) {
      acc += a[i][j] * x[j];
      total += a[i][j];
    }
    y[i] = acc;
    mean[i] = total / c;
  }
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++)
      columns[j] += a[i][j];
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = frnd();
  for (int j = 0; j < C; j++)
    x[j] = frnd();
  scalars(R, C);
  vectors(R, C);
  show("y", R, y);
  show("columns", C, columns);
  for (int i = 0; i < R; i++)
    printf("%.6e\n", mean[i]);
  return 0;
}
