// expect: any
// kernels: optimized
// fp: exact
// feature: in-place sweeps: only anti-diagonals are parallel, forwards and backwards
#include <stdio.h>

#define R 45
#define C 53

static int a[R][C], cost[R][C];

static unsigned seed = 220u;

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

static void sweep(int r, int c) {
  for (int i = 1; i < r; i++)
    for (int j = 1; j < c; j++)
      a[i][j] = (a[i - 1][j] + 2 * a[i][j - 1] + a[i - 1][j - 1] + 3 * a[i][j]) / 7;
  for (int i = r - 2; i >= 0; i--)
    for (int j = c - 2; j >= 0; j--)
      a[i][j] = (a[i + 1][j] + a[i][j + 1] + 2 * a[i][j]) / 4;
}

static void cheapest_path(int r, int c) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++)
      if (i > 0 && j > 0)
        cost[i][j] += cost[i - 1][j] < cost[i][j - 1] ? cost[i - 1][j] : cost[i][j - 1];
      else if (i > 0)
        cost[i][j] += cost[i - 1][j];
      else if (j > 0)
        cost[i][j] += cost[i][j - 1];
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      a[i][j] = rnd(-100000, 100000);
      cost[i][j] = rnd(1, 99);
    }
  sweep(R, C);
  cheapest_path(R, C);
  show("a", R * C, &a[0][0]);
  show("cost", R * C, &cost[0][0]);
  return 0;
}
