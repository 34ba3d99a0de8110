// expect: offload
// fp: exact
// feature: scalars that carry a value from one loop to the next and to the end of the function
#include <stdio.h>

#define N 409

static int a[N], b[N], c[N];

static unsigned seed = 73u;

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

static int carry(int n) {
  int sum = 0, last = -1, i;

  for (i = 0; i < n; i++)
    sum += a[i];
  int mean = sum / n;

  for (i = 0; i < n; i++) {
    int centred = a[i] - mean;
    b[i] = centred * centred;
    last = centred;
  }
  int stopped = i; // the counter keeps its final value

  int shift = last + stopped;
  for (i = 0; i < n; i += 2) {
    c[i] = b[i] + shift;
    last = c[i];
  }
  printf("%d %d %d %d %d\n", sum, mean, stopped, last, i);
  return last + i;
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = rnd(-400, 700);
  printf("%d\n", carry(N));
  printf("%d\n", carry(N - 10));
  show("b", N, b);
  show("c", N, c);
  return 0;
}
