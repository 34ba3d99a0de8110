// expect: offload
// fp: exact
// feature: chained assignments, also with conversions and compound operators, comma, logical values
#include <stdio.h>

#define N 277

static int a[N], b[N], c[N], flags[N];
static short narrow[N];

static unsigned seed = 87u;

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

static void chain(int n) {
  int x, y;

  for (int i = 0; i < n; i++) {
    a[i] = b[i] = c[i] + i;
    x = y = a[i] * 2;
    b[i] += c[i] -= x - y + 1;
    // the value of the inner assignment is the converted one
    a[i] = narrow[i] = (short)(b[i] * 300);
    flags[i] = (a[i] > b[i]) + 2 * (c[i] == 0 || b[i] < 0) + 4 * !a[i];
  }
  for (int i = 0, j = n - 1; i < n; i++, j--)
    c[i] = a[i] - b[j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    c[i] = rnd(-90, 90);
  chain(N);
  show("a", N, a);
  show("b", N, b);
  show("c", N, c);
  show("flags", N, flags);
  for (int i = 0; i < N; i++)
    printf("%d%c", narrow[i], i % 16 == 15 ? '\n' : ' ');
  printf("\n");
  return 0;
}
