// expect: offload
// fp: exact
// feature: all compound assignments, increments and decrements before and after
#include <stdio.h>

#define N 199

static int a[N], b[N], c[N];
static unsigned u[N];

static unsigned seed = 80u;

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

static void show_unsigned(const char *name, int n, const unsigned *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%u", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void update(int n) {
  for (int i = 0; i < n; i++) {
    a[i] += 7;
    a[i] -= b[i];
    a[i] *= 3;
    a[i] /= 2;
    a[i] %= 1001;
    u[i] &= 0xfff0ffu;
    u[i] |= 0x10u;
    u[i] ^= (unsigned)b[i];
    u[i] <<= 3;
    u[i] >>= 1;
  }
  for (int i = 0; i < n; i++) {
    b[i]++;
    ++a[i];
    int t = a[i]++ + --b[i];
    t -= c[i]--;
    c[i] += t--;
    c[i] += t;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-5000, 5000);
    b[i] = rnd(-5000, 5000);
    c[i] = rnd(-5000, 5000);
    u[i] = (unsigned)rnd(0, 4000000) * 1000u;
  }
  update(N);
  show("a", N, a);
  show("b", N, b);
  show("c", N, c);
  show_unsigned("u", N, u);
  return 0;
}
