// expect: offload
// fp: exact
// feature: several functions in one file, nests in functions called from loops and from one another
#include <stdio.h>

#define N 57

static int a[N][N], b[N][N], total[N];

static unsigned seed = 178u;

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

static void clear(int n, int m[N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i][j] = 0;
}

static void add_product(int n, int factor) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] += factor * a[j][i];
}

void row_totals(int n);

static void pass(int n, int rounds) {
  clear(n, b);
  for (int r = 1; r <= rounds; r++) {
    add_product(n - r, r);
    if (r % 2)
      row_totals(n);
  }
}

void row_totals(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      total[i] += b[i][j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = rnd(-40, 40);
      b[i][j] = rnd(-40, 40);
    }
  pass(N, 4);
  show("b", N * N, &b[0][0]);
  show("total", N, total);
  pass(N - 20, 3);
  show("b", N * N, &b[0][0]);
  show("total", N, total);
  return 0;
}
