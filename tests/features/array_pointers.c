// expect: offload
// fp: exact
// feature: pointers to arrays: allocated matrices, rows by pointer, the second half of a matrix
#include <stdio.h>
#include <stdlib.h>

#define R 38
#define C 43

typedef int row[C];

static unsigned seed = 136u;

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

static void difference(int r, int (*in)[C], row *out) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < C; j++)
      out[i][j] = in[i][j] - (j > 0 ? in[i][j - 1] : 0);
}

static void scale_rows(int r, int (*m)[C], int factor) {
  for (int i = 0; i < r; i++) {
    int *line = m[i];
    for (int j = 0; j < C; j++)
      line[j] *= factor;
  }
}

static void offset(int n, int *p) {
  for (int i = 0; i < n; i++)
    *(p + i) = p[i] + i;
}

int main(void) {
  int(*a)[C] = malloc(R * sizeof *a);
  int(*b)[C] = malloc(sizeof(int[R][C]));
  if (!a || !b)
    return 1;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd(-700, 700);
  difference(R, a, b);
  scale_rows(R - 5, b + 5, 3);
  offset(C, a[2]);
  offset(C - 8, &a[R - 1][8]);
  show("a", R * C, (const int *)a);
  show("b", R * C, (const int *)b);
  free(a);
  free(b);
  return 0;
}
