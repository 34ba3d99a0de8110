// expect: mixed
// fp: exact
// feature: flattened a[i * stride + j], once with rows that overlap: more columns than the stride
#include <stdio.h>

#define SIZE 2500

static int a[SIZE], b[SIZE];

static unsigned seed = 143u;

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

// With cols > stride the last row that reaches an element wins.
static void scale(int rows, int cols, int stride, const int *restrict in, int *restrict out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      out[i * stride + j] = 3 * in[i * stride + j] + 7 * i - j;
}

// With cols > stride a row reads what the rows before have written.
static void accumulate(int rows, int cols, int stride, int *restrict p) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      p[i * stride + j] = (p[i * stride + j] + i * j) % 1009;
}

int main(void) {
  for (int k = 0; k < SIZE; k++)
    a[k] = b[k] = rnd(-1000, 1000);

  scale(43, 51, 51, a, b);
  show("dense", SIZE, b);
  scale(40, 37, 50, a, b);
  show("padded", SIZE, b);
  scale(41, 53, 19, a, b);
  show("overlapping", SIZE, b);

  accumulate(45, 38, 41, b);
  show("apart", SIZE, b);
  accumulate(37, 49, 13, b);
  show("mixed up", SIZE, b);
  return 0;
}
