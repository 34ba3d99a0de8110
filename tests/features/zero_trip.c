// expect: offload
// fp: exact
// feature: loops that run not at all, once, and with negative sizes; empty inner loops
#include <stdio.h>

#define N 71

static int a[N][N], b[N][N], sum[N];

static unsigned seed = 283u;

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

static void window(int lo, int hi, int left, int right) {
  for (int i = lo; i < hi; i++) {
    sum[i] = -1;
    for (int j = left + i; j < right - i; j++) {
      b[i][j] = a[i][j] + 1;
      sum[i] += a[i][j];
    }
  }
}

static void shrink(int n, const int *from, int *to) {
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = rnd(-800, 800);
  window(0, N, 0, N);
  show("b", N * N, &b[0][0]);
  show("sum", N, sum);
  window(5, 5, 0, N);
  window(9, 3, 0, N);
  window(3, 60, 40, 20);
  window(70, N, -70, 1);
  window(2, 3, 9, 14);
  shrink(0, NULL, NULL);
  shrink(-4, NULL, NULL);
  shrink(1, a[3], a[4]);
  show("b", N * N, &b[0][0]);
  show("sum", N, sum);
  show("a", 5 * N, &a[0][0]);
  return 0;
}
