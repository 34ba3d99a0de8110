// expect: offload
// fp: exact
// feature: steps up and down, all comparison operators, counters changed in several ways
#include <stdio.h>

#define N 211

static int a[N], b[N], c[N], d[N], e[N];

static unsigned seed = 10u;

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

static void steps(int n) {
  int i;

  for (i = 0; i < n; i += 3)
    a[i] = b[i] + i;
  for (i = n - 1; i >= 0; i--)
    c[i] = a[i] - 2 * b[i];
  for (i = n - 2; i > 1; i -= 2)
    d[i] = c[i + 1] + c[i - 1];
  for (i = 0; i <= n - 2; i = i + 2)
    d[i] = d[i] + b[i + 1];
  for (i = 0; i != n; ++i)
    e[i] = d[n - 1 - i] + i;
  for (i = 4; n > i; i += 5)
    e[i] = -e[i];
  for (i = n - 1; 7 <= i; i = i - 7)
    e[i] += 100000;
  for (i = 0; i < n; i++) {
    if (i % 4 == 1)
      a[i] = a[i] + 1;
    if (i != n / 2)
      a[i] = a[i] * 2;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-500, 500);
    b[i] = rnd(-500, 500);
  }
  steps(N);
  show("a", N, a);
  show("c", N, c);
  show("d", N, d);
  show("e", N, e);
  return 0;
}
