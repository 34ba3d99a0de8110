// expect: offload
// fp: exact
// feature: counters of type unsigned, long, size_t, short and char, bounds of another type
#include <stdio.h>

#define N 209

static int a[N], b[N], c[N], d[N], e[N], m[19][47];

static unsigned seed = 297u;

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

static void count(unsigned n, long lo, short hi) {
  for (unsigned i = 0; i < n; i++)
    b[i] = a[i] + (int)i;
  for (long i = lo; i < (long)n; i += 2)
    c[i] = b[i] - a[i - lo];
  for (size_t i = 0; i + 1 < n; i++)
    d[i] = a[i] * 2 - a[i + 1];
  for (short i = 0; i < hi; i++)
    e[i] = a[i] ^ 0x55;
  for (unsigned char i = 0; i < 19; i++)
    for (long long j = 46; j >= 0; j--)
      m[i][j] = a[i * 4 + j] + i;
  for (unsigned i = 3; i <= n - 5; i++)
    e[i] += b[n - 1 - i];
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = rnd(-1000, 1000);
  count(N, 5, 131);
  show("b", N, b);
  show("c", N, c);
  show("d", N, d);
  show("e", N, e);
  show("m", 19 * 47, &m[0][0]);
  return 0;
}
