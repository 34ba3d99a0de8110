// expect: offload
// fp: exact
// feature: calls of small pure functions: inline, nested, several returns, with a loop inside
#include <stdio.h>

#define R 35
#define C 51

static int a[R][C], b[R][C], c[R][C];

static unsigned seed = 115u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void show(const char *name, int n, const int *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%d", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static inline int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static int square(int v) { return v * v; }

static int classify(int v) {
  if (v < -20)
    return 0;
  if (v < 20) {
    int doubled = 2 * v;
    return doubled + 1;
  }
  return 100 - v;
}

static int power(int v, int exponent) {
  int result = 1;
  for (int k = 0; k < exponent; k++)
    result *= v;
  return result;
}

static int distance(int u, int v) { return square(u) + square(clamp(v, -9, 9)); }

static void apply(int r, int w) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < w; j++) {
      b[i][j] = distance(a[i][j], a[i][clamp(j + 2, 0, w - 1)]) + classify(a[i][j]);
      c[i][j] = power(clamp(a[i][j], -5, 5), 3) - square(i - j);
    }
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd(-60, 60);
  apply(R, C);
  show("b", R * C, &b[0][0]);
  show("c", R * C, &c[0][0]);
  return 0;
}
