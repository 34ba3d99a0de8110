// expect: host
// fp: exact
// feature: loops that call through a function pointer stay on the host
#include <stdio.h>

#define N 147

typedef int (*operation)(int, int);

static int a[N], b[N], c[N], calls;

static unsigned seed = 241u;

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

static int plus(int x, int y) {
  calls++;
  return x + y;
}

static int times(int x, int y) {
  calls += 2;
  return x * y + calls % 5;
}

static void combine(int n, operation op) {
  for (int i = 0; i < n; i++)
    c[i] = op(a[i], b[i]);
}

static void combine_table(int n, operation table[2]) {
  for (int i = 0; i < n; i++)
    a[i] = table[i % 2](c[i], i);
}

int main(int argc, char **argv) {
  (void)argv;
  operation table[2] = {plus, argc > 50 ? plus : times};
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-100, 100);
    b[i] = rnd(-100, 100);
  }
  combine(N, table[argc > 50]);
  show("c", N, c);
  combine_table(N, table);
  show("a", N, a);
  printf("%d\n", calls);
  return 0;
}
