// expect: host
// fp: exact
// feature: loops that call functions with effects (state, allocation) stay on the host
#include <stdio.h>
#include <stdlib.h>

#define N 123

static int a[N], b[N], *boxes[N];

static unsigned seed = 248u;

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

// a queue that the calls fill and drain
static int queue[16], head, tail;

static int pass_on(int v) {
  queue[head++ % 16] = v;
  return head - tail > 7 ? queue[tail++ % 16] : -1;
}

static void delay(int n) {
  for (int i = 0; i < n; i++)
    b[i] = pass_on(a[i]);
}

static void allocate(int n) {
  for (int i = 0; i < n; i++) {
    boxes[i] = malloc(sizeof(int));
    if (boxes[i])
      *boxes[i] = a[i] - b[i];
  }
}

static void drain(int n) {
  for (int i = 0; i < n; i++) {
    a[i] = boxes[i] ? *boxes[i] : 0;
    free(boxes[i]);
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = rnd(0, 1000);
  delay(N);
  show("b", N, b);
  allocate(N);
  drain(N);
  show("a", N, a);
  return 0;
}
