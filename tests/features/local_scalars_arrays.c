// expect: offload
// fp: exact
// feature: scalars and small arrays that live in one iteration, declared in or outside the loop
#include <stdio.h>

#define N 233

static int a[N + 4], median[N], mixed[N], poly[N];

static unsigned seed = 66u;

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

static void windows(int n) {
  int t, u; // one value per iteration, though declared outside

  for (int i = 0; i < n; i++) {
    int w[5];
    for (int k = 0; k < 5; k++)
      w[k] = a[i + k];
    for (int p = 0; p < 4; p++)
      for (int k = 0; k < 4 - p; k++)
        if (w[k] > w[k + 1]) {
          int swap = w[k];
          w[k] = w[k + 1];
          w[k + 1] = swap;
        }
    median[i] = w[2];
  }

  for (int i = 0; i < n; i++) {
    t = a[i] + a[i + 1];
    u = t * 3 - a[i + 2];
    t = u - t;
    mixed[i] = t * 2 + u;
  }

  for (int i = 0; i < n; i++) {
    int power[4] = {1};
    for (int k = 1; k < 4; k++)
      power[k] = power[k - 1] * (a[i] % 10);
    poly[i] = 2 * power[0] - power[1] + 3 * power[2] + power[3];
  }
}

int main(void) {
  for (int i = 0; i < N + 4; i++)
    a[i] = rnd(-1000, 1000);
  windows(N);
  show("median", N, median);
  show("mixed", N, mixed);
  show("poly", N, poly);
  return 0;
}
