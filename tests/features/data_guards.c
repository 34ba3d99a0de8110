// expect: offload
// fp: exact
// feature: data-dependent if, else and conditional expression; untouched elements survive
#include <stdio.h>

#define N 517

static int a[N], b[N], c[N], d[N], valid[N];

static unsigned seed = 52u;

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

static void select_values(int n, int limit) {
  for (int i = 0; i < n; i++) {
    if (a[i] > limit)
      b[i] = a[i] - limit;
    else if (a[i] < -limit && valid[i])
      b[i] = a[i] + limit;

    c[i] = a[i] < 0 ? -a[i] : a[i];
    d[i] = valid[i] ? (b[i] > c[i] ? b[i] : c[i]) : d[i];
  }
  // the division happens under its guard only
  for (int i = 0; i < n; i++)
    if (valid[i] != 0)
      c[i] = c[i] / valid[i];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-100, 100);
    b[i] = rnd(1000, 2000);
    d[i] = rnd(-9, 9);
    valid[i] = rnd(0, 3);
  }
  select_values(N, 30);
  show("b", N, b);
  show("c", N, c);
  show("d", N, d);
  return 0;
}
