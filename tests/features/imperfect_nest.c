// expect: offload
// fp: exact
// feature: statements before, between and after the inner loops of a nest
#include <stdio.h>

#define R 41
#define C 37

static int a[R][C], first[R], sum[R], best[R], out[R][C];

static unsigned seed = 31u;

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

static void summarise(int r, int c) {
  for (int i = 0; i < r; i++) {
    first[i] = a[i][0];
    sum[i] = 0;
    for (int j = 0; j < c; j++)
      sum[i] += a[i][j];
    best[i] = a[i][0] - sum[i];
    for (int j = 1; j < c; j++) {
      out[i][j] = a[i][j] * 2;
      for (int k = 0; k < 3; k++)
        out[i][j] += a[i][j - 1] * k;
      best[i] = best[i] > out[i][j] ? best[i] : out[i][j];
    }
    out[i][0] = best[i] + first[i];
  }
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd(-300, 300);
  summarise(R, C);
  show("first", R, first);
  show("sum", R, sum);
  show("best", R, best);
  show("out", R * C, &out[0][0]);
  return 0;
}
