// expect: offload
// fp: exact
// feature: arrays whose size is a parameter, 1-D to 3-D, and a local one
#include <stdio.h>

static unsigned seed = 129u;

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

static void outer(int n, int m, int u[n], int v[m], int out[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i][j] = u[i] * v[j];
}

static void stack(int p, int n, int m, int in[n][m], int cube[p][n][m]) {
  for (int k = 0; k < p; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        cube[k][i][j] = in[i][j] + 1000 * k;
}

static void column_sums(int n, int m, int in[n][m], int sums[m]) {
  int scaled[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      scaled[i][j] = in[i][j] * (i + 1);
  for (int j = 0; j < m; j++) {
    sums[j] = 0;
    for (int i = 0; i < n; i++)
      sums[j] += scaled[i][j];
  }
}

static void run(int n, int m) {
  int u[n], v[m], out[n][m], sums[m], cube[3][n][m];

  for (int i = 0; i < n; i++)
    u[i] = rnd(-99, 99);
  for (int j = 0; j < m; j++)
    v[j] = rnd(-99, 99);
  outer(n, m, u, v, out);
  stack(3, n, m, out, cube);
  column_sums(n, m, out, sums);
  show("cube", 3 * n * m, &cube[0][0][0]);
  show("sums", m, sums);
}

int main(void) {
  run(35, 41);
  run(1, 7);
  run(19, 2);
  return 0;
}
