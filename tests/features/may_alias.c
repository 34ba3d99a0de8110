// expect: mixed
// fp: exact
// feature: parameters that may alias: disjoint, identical and overlapping arguments
#include <stdio.h>

#define N 350

static int pool[4 * N], x[N], y[N], z[N];

static unsigned seed = 157u;

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

static void add(int n, const int *a, const int *b, int *out) {
  for (int i = 0; i < n; i++)
    out[i] = a[i] + 2 * b[i] + 1;
}

static void shift(int n, int m, int (*from)[m], int (*to)[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      to[i][j] = from[i][j] * 2 - i;
}

int main(void) {
  for (int i = 0; i < 4 * N; i++)
    pool[i] = rnd(-9, 9);
  for (int i = 0; i < N; i++) {
    x[i] = rnd(-9, 9);
    y[i] = rnd(-9, 9);
  }

  add(N, x, y, z);
  show("disjoint", N, z);
  add(N, x, x, y);
  show("inputs alike", N, y);
  add(N, x, y, x);
  show("in place", N, x);
  // out lies 16 elements behind a: values travel through the whole array, 16 apart
  add(N, pool, x, pool + 16);
  show("overlapping", 4 * N, pool);

  for (int i = 0; i < 4 * N; i++)
    pool[i] = rnd(-9, 9);
  shift(11, 47, (int(*)[47])pool, (int(*)[47])(pool + 2 * N));
  show("apart", 4 * N, pool);
  shift(11, 47, (int(*)[47])pool, (int(*)[47])(pool + 47 * 3));
  show("rows apart", 4 * N, pool);
  return 0;
}
