// expect: any
// fp: exact
// feature: continue, break, while, do, switch, a bound and a counter changed in the body
#include <stdio.h>

#define N 157

static int a[N], b[N], c[N], d[N + 4]; // the last loop may look past n

static unsigned seed = 304u;

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

static int walk(int n) {
  int i, steps = 0;

  for (i = 0; i < n; i++) {
    if (i % 3 == 0)
      continue;
    b[i] = a[i] + 1;
  }
  for (i = 0; i < n; i++) {
    switch (i % 4) {
    case 0:
      c[i] = a[i];
      break;
    case 1:
      c[i] = -a[i]; // fall through
    case 2:
      c[i] += 5;
      break;
    default:
      c[i] = 0;
    }
  }
  i = 0;
  while (i < n) {
    d[i] = a[i] - i;
    i += 2;
  }
  do {
    i--;
    d[i - 1] += 3;
    steps++;
  } while (i > 40);
  for (i = 0; i < n; i++) {
    d[i] += steps;
    if (d[i] < -80)
      i += 2;
    if (d[i] % 11 == 0)
      n--;
  }
  return i + n;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-100, 100);
    d[i] = rnd(-100, 100);
  }
  printf("%d\n", walk(N));
  show("b", N, b);
  show("c", N, c);
  show("d", N, d);
  return 0;
}
