// expect: host
// fp: exact
// feature: loops that print between their statements stay on the host
#include <stdio.h>

#define R 13
#define C 43

static int a[R][C], b[R][C];

static unsigned seed = 234u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void trace(int r, int c) {
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < c; j++) {
      b[i][j] = 2 * a[i][j] + i;
      if (b[i][j] > 150)
        printf("large %d at %d %d\n", b[i][j], i, j);
    }
    printf("row %d\n", i);
  }
}

static int total(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += b[i % R][i % C];
    printf("%d%c", sum, i % 16 == 15 ? '\n' : ' ');
  }
  putchar('\n');
  return sum;
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd(-100, 100);
  trace(R, C);
  printf("%d\n", total(R * C));
  return 0;
}
