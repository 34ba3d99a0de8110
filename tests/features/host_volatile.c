// expect: host
// fp: exact
// feature: volatile arrays, scalars and counters: every access happens, in order, on the host
#include <stdio.h>

#define N 119

static volatile int port[N];
static volatile int status;
static int a[N], b[N];

static unsigned seed = 255u;

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

static void poll(int n) {
  for (int i = 0; i < n; i++)
    a[i] = port[i] + port[i];
  for (int i = 0; i < n; i++) {
    status = i;
    b[i] = 3 * a[i];
  }
  for (volatile int i = 0; i < n; i++)
    b[i] -= 2;
}

static void publish(int n, volatile int *to, const int *from) {
  for (int i = 0; i < n; i++)
    to[i] = from[i] + 1;
}

int main(void) {
  for (int i = 0; i < N; i++)
    port[i] = rnd(-900, 900);
  poll(N);
  show("a", N, a);
  show("b", N, b);
  publish(N, port, b);
  for (int i = 0; i < N; i++)
    printf("%d%c", port[i], i % 16 == 15 ? '\n' : ' ');
  printf("%d\n", status);
  return 0;
}
