// expect: offload
// fp: exact
// feature: affine if and else with and, or, not; branches nested and chained
#include <stdio.h>

#define R 39
#define C 47

static int a[R][C], b[R][C], c[R][C];

static unsigned seed = 45u;

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

static void regions(int r, int w) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < w; j++) {
      if (i == 0 || j == 0 || i == r - 1 || j == w - 1)
        b[i][j] = -1;
      else if (i > 5 && i < 20 && j >= 10)
        b[i][j] = a[i - 1][j] + a[i + 1][j];
      else
        b[i][j] = a[i][j - 1] - a[i][j + 1];

      if (!(i < j)) {
        c[i][j] = a[i][j];
        if (i + j > r || 2 * i == 3 * j)
          c[i][j] *= 2;
      } else if (!(i > 4 && j < 30)) {
        c[i][j] = 7 * i + j;
      }
    }
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      a[i][j] = rnd(-500, 500);
      c[i][j] = rnd(1, 9);
    }
  regions(R, C);
  show("b", R * C, &b[0][0]);
  show("c", R * C, &c[0][0]);
  return 0;
}
