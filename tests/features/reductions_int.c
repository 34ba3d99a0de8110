// expect: offload
// kernels: optimized
// fp: exact
// feature: integer reductions to scalars and to rows: sum, product, min, max, and, or, xor
#include <stdio.h>

#define R 47
#define C 91

static int a[R][C], row_sum[R], row_min[R], row_xor[R], col_max[C];

static unsigned seed = 164u;

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

static void scalars(int r, int c) {
  int sum = 0, least = 1 << 30, most = -(1 << 30), all = -1, some = 0, parity = 0, count = 0;
  unsigned product = 1u;

  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      sum += a[i][j];
      product *= (unsigned)(2 * a[i][j] + 1);
      least = a[i][j] < least ? a[i][j] : least;
      if (a[i][j] > most)
        most = a[i][j];
      all &= a[i][j] | 0x0ff0;
      some |= a[i][j] & 0x0ccc;
      parity ^= a[i][j];
      count += a[i][j] % 3 == 0;
    }
  printf("%d %u %d %d %x %x %x %d\n", sum, product, least, most, (unsigned)all, (unsigned)some,
         (unsigned)parity, count);
}

static void vectors(int r, int c) {
  for (int i = 0; i < r; i++) {
    row_sum[i] = 0;
    row_min[i] = a[i][0];
    row_xor[i] = 0;
    for (int j = 0; j < c; j++) {
      row_sum[i] += a[i][j];
      row_min[i] = row_min[i] < a[i][j] ? row_min[i] : a[i][j];
      row_xor[i] ^= a[i][j] << (j % 5);
    }
  }
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++)
      col_max[j] = col_max[j] > a[i][j] ? col_max[j] : a[i][j];
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd(0, 32767);
  scalars(R, C);
  vectors(R, C);
  show("row_sum", R, row_sum);
  show("row_min", R, row_min);
  show("row_xor", R, row_xor);
  show("col_max", C, col_max);
  return 0;
}
