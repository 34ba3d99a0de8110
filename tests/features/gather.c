// expect: offload
// kernels: optimized
// fp: exact
// feature: data-dependent subscripts: one and two levels, table lookup, sparse rows
#include <stdio.h>

#define N 307
#define ROWS 67
#define NNZ (ROWS * 5)

static int a[N], index1[N], index2[N], out1[N], out2[N];
static int start[ROWS + 1], column[NNZ], value[NNZ], y[ROWS];
static const int table[8] = {3, -1, 4, 1, -5, 9, 2, -6};

static unsigned seed = 59u;

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

static void gather(int n) {
  for (int i = 0; i < n; i++)
    out1[i] = a[index1[i]] + table[index2[i] & 7];
  for (int i = 0; i < n; i++)
    out2[i] = a[index1[index2[i]]] - a[i];
}

static void sparse_product(int rows) {
  for (int i = 0; i < rows; i++) {
    int sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * a[column[k]];
    y[i] = sum;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-100, 100);
    index1[i] = rnd(0, N - 1);
    index2[i] = rnd(0, N - 1);
  }
  for (int i = 0; i < ROWS; i++)
    start[i + 1] = start[i] + rnd(0, 5);
  for (int k = 0; k < NNZ; k++) {
    column[k] = rnd(0, N - 1);
    value[k] = rnd(-9, 9);
  }
  gather(N);
  sparse_product(ROWS);
  show("out1", N, out1);
  show("out2", N, out2);
  show("y", ROWS, y);
  return 0;
}
