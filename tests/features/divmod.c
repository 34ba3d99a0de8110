// expect: offload
// kernels: optimized
// fp: exact
// feature: division, modulo and shifts by constants in bounds, subscripts and guards
#include <stdio.h>

#define N 203

static int a[N], half[N / 2 + 1], rounds[N], wrap[N], parts[N][3], tail[N];

static unsigned seed = 24u;

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

static void divide(int n) {
  for (int i = 0; i < (n + 1) / 2; i++)
    half[i] = a[2 * i] - a[i / 2];

  for (int i = 0; i < n; i++)
    parts[i / 3][i % 3] = a[i] * 5;

  for (int i = 0; i < n; i++)
    wrap[i] = a[(i + 50) % 67] + a[i >> 2];

  for (int i = 0; i < n; i++) {
    rounds[i] = a[i] / 7 + a[i] % 7;
    if (i % 6 == 4)
      rounds[i] = -rounds[i];
  }

  for (int block = 0; block < n / 13; block++)
    for (int k = 0; k < 13; k++)
      tail[block * 13 + k] = a[block * 13 + (k + 5) % 13];
  for (int i = n - n % 13; i < n; i++)
    tail[i] = 7;
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = rnd(-1000, 1000);
  divide(N);
  show("half", (N + 1) / 2, half);
  show("parts", N, &parts[0][0]);
  show("wrap", N, wrap);
  show("rounds", N, rounds);
  show("tail", N, tail);
  return 0;
}
