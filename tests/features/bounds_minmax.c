// expect: offload
// fp: exact
// feature: bounds with minimum and maximum: ternary, macros, conjunction of two comparisons
#include <stdio.h>

#define R 45
#define C 53
#define TILE 8
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int a[R][C], b[R][C], c[R][C], band[R][C];

static unsigned seed = 17u;

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

// a tiled sum, the last tiles are incomplete
static void tiled(int r, int c_) {
  for (int ii = 0; ii < r; ii += TILE)
    for (int jj = 0; jj < c_; jj += TILE)
      for (int i = ii; i < (ii + TILE < r ? ii + TILE : r); i++)
        for (int j = jj; j < MIN(jj + TILE, c_); j++)
          c[i][j] = a[i][j] + 3 * b[i][j];
}

// only elements near the diagonal
static void near_diagonal(int r, int c_, int width) {
  for (int i = 0; i < r; i++)
    for (int j = MAX(0, i - width); j <= MIN(c_ - 1, i + width); j++)
      band[i][j] = a[i][j] - b[i][j] + 10 * (j - i);
}

static void both(int r, int limit) {
  for (int i = 0; i < r && i < limit; i++)
    for (int j = i > 5 ? i : 5; j < C && j < 2 * i + 9; j++)
      b[i][j] = -b[i][j];
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      a[i][j] = rnd(-99, 99);
      b[i][j] = rnd(-99, 99);
    }
  tiled(R, C);
  near_diagonal(R, C, 6);
  both(R, 39);
  show("c", R * C, &c[0][0]);
  show("band", R * C, &band[0][0]);
  show("b", R * C, &b[0][0]);
  return 0;
}
