// expect: mixed
// fp: exact
// feature: flattened 3-D subscripts, also with rows and planes that overlap
#include <stdio.h>

#define SIZE 4200

static int a[SIZE], b[SIZE];

static unsigned seed = 150u;

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

static void blur(int nz, int ny, int nx, const int *restrict in, int *restrict out) {
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < ny; j++)
      for (int k = 1; k < nx - 1; k++)
        out[(i * ny + j) * nx + k] = in[(i * ny + j) * nx + k - 1] + 2 * in[(i * ny + j) * nx + k] +
                                     in[(i * ny + j) * nx + k + 1];
}

// py and px are the strides of a larger box; a caller may break py >= ny or px >= nx.
static void stamp(int nz, int ny, int nx, int py, int px, int *restrict out) {
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < ny; j++)
      for (int k = 0; k < nx; k++)
        out[i * py * px + j * px + k] = 10000 * i + 100 * j + k;
}

int main(void) {
  for (int m = 0; m < SIZE; m++)
    a[m] = b[m] = rnd(-1000, 1000);

  blur(9, 13, 35, a, b);
  show("blur", SIZE, b);
  stamp(7, 11, 33, 13, 39, b);
  show("inside", SIZE, b);
  stamp(8, 12, 38, 12, 31, b);
  show("rows overlap", SIZE, b);
  stamp(9, 15, 33, 11, 34, b);
  show("planes overlap", SIZE, b);
  return 0;
}
