// expect: any
// fp: exact
// feature: a marked region that contains statements with non-affine subscripts and conditions
#include <stdio.h>

#define N 173
#define BINS 21

static int a[N], key[N], count[BINS], squares[N], spread[N * 2], limit;

static unsigned seed = 199u;

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

static void region(int n) {
#pragma scop
  for (int b = 0; b < BINS; b++)
    count[b] = 0;
  for (int i = 0; i < n; i++) {
    a[i] = 2 * a[i] - i;
    count[key[i]] += 1;
  }
  for (int i = 0; i * i < n; i++)
    squares[i * i] = a[i * i] + 1;
  for (int i = 0; i < n; i++) {
    limit = a[i] > limit ? a[i] : limit;
    spread[i + key[i]] = a[i] - limit;
  }
#pragma endscop
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-250, 250);
    key[i] = rnd(0, BINS - 1);
    squares[i] = rnd(-9, 9);
  }
  region(N);
  show("a", N, a);
  show("count", BINS, count);
  show("squares", N, squares);
  show("spread", N * 2, spread);
  printf("%d\n", limit);
  return 0;
}
