// expect: offload
// fp: exact
// feature: triangular, trapezoidal and diamond-shaped iteration spaces
#include <stdio.h>

#define N 43

static int a[N][N], lower[N][N], upper[N][N], trap[N][2 * N], diamond[N][N];

static unsigned seed = 38u;

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

static void shapes(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      lower[i][j] = a[i][j] + a[j][i];

  for (int i = 0; i < n - 1; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++)
        upper[i][j] += a[i][k] * a[k][j];

  for (int i = 0; i < n; i++)
    for (int j = i; j < n + i; j++)
      trap[i][j] = a[i][j - i] - 5;

  for (int s = 0; s < 2 * n - 1; s++)
    for (int i = s < n ? 0 : s - n + 1; i <= (s < n ? s : n - 1); i++)
      diamond[i][s - i] = a[i][s - i] * 3 + s;
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = rnd(-50, 50);
  shapes(N);
  show("lower", N * N, &lower[0][0]);
  show("upper", N * N, &upper[0][0]);
  show("trap", N * 2 * N, &trap[0][0]);
  show("diamond", N * N, &diamond[0][0]);
  return 0;
}
