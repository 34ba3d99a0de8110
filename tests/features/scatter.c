// expect: any
// fp: exact
// feature: data-dependent targets: permutation, last writer wins, histogram
#include <stdio.h>

#define N 263

static int a[N], order[N], target[N], out[N], last[N], histogram[17], weight[17][3];

static unsigned seed = 290u;

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

static void scatter(int n) {
  for (int i = 0; i < n; i++)
    out[order[i]] = a[i];
  for (int i = 0; i < n; i++)
    last[target[i]] = i;
  for (int i = 0; i < n; i++) {
    histogram[target[i] % 17]++;
    weight[target[i] % 17][i % 3] += a[i];
  }
}

static void shuffle(int n, int *v) {
  for (int i = 0; i < n; i++)
    v[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int k = rnd(0, i), t = v[i];
    v[i] = v[k];
    v[k] = t;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-100, 100);
    target[i] = rnd(0, N / 3);
  }
  shuffle(N, order);
  scatter(N);
  show("out", N, out);
  show("last", N, last);
  show("histogram", 17, histogram);
  show("weight", 51, &weight[0][0]);
  return 0;
}
