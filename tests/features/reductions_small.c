// expect: offload
// feature: reductions of small integers: sums that are cut, extrema that are compared as int, bits; of all elements, of rows and of columns
#include <stdio.h>

#define R 37
#define C 150

static unsigned char a[R][C], row[R], column[C];
static short b[R][C], least[R];
static signed char c[R * C];

static void scalars(void) {
  unsigned char sum = 7, bits = 0;
  short low = 3000;
  signed char high = -128, product = 1;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      sum += a[i][j];
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      bits ^= a[i][j];
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      low = b[i][j] < low ? b[i][j] : low;
  for (int i = 0; i < R * C; i++)
    if (c[i] > high)
      high = c[i];
  for (int i = 0; i < R * C; i++)
    product *= c[i] | 1;
  printf("%d %d %d %d %d\n", sum, bits, low, high, product);
}

static void rows_and_columns(void) {
  for (int i = 0; i < R; i++) {
    unsigned char sum = 0;
    short low = 32767;
    for (int j = 0; j < C; j++)
      sum += a[i][j];
    for (int j = 0; j < C; j++)
      if (low > b[i][j])
        low = b[i][j];
    row[i] = sum;
    least[i] = low;
  }
  for (int j = 0; j < C; j++)
    column[j] = 200;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      column[j] += a[i][j];
  for (int i = 0; i < R; i++)
    printf("%d %d\n", row[i], least[i]);
  for (int j = 0; j < C; j++)
    printf("%d ", column[j]);
  printf("\n");
}

int main(void) {
  unsigned seed = 99;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      seed = seed * 1664525u + 1013904223u;
      a[i][j] = (unsigned char)(seed >> 24), b[i][j] = (short)(seed >> 13), c[i * C + j] = (signed char)(seed >> 9);
    }
  scalars();
  rows_and_columns();
  return 0;
}
