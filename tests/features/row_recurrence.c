// expect: offload
// fp: exact
// feature: recurrences along rows and along columns, parallel across the other dimension
#include <stdio.h>

#define R 57
#define C 67

static int a[R][C], b[R][C], c[R][C];

static unsigned seed = 227u;

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

static void recur(int r, int w) {
  // along the rows
  for (int i = 0; i < r; i++)
    for (int j = 1; j < w; j++)
      a[i][j] = (a[i][j - 1] + 2 * a[i][j]) % 5003;
  // along the columns, upwards
  for (int i = r - 2; i >= 0; i--)
    for (int j = 0; j < w; j++)
      b[i][j] = b[i][j] - b[i + 1][j] / 2;
  // along the rows with a scalar that carries the value
  for (int i = 0; i < r; i++) {
    int carried = i;
    for (int j = 0; j < w; j++) {
      carried = (carried + c[i][j]) / 2;
      c[i][j] = carried;
    }
  }
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      a[i][j] = rnd(-1000, 1000);
      b[i][j] = rnd(-1000, 1000);
      c[i][j] = rnd(-1000, 1000);
    }
  recur(R, C);
  show("a", R * C, &a[0][0]);
  show("b", R * C, &b[0][0]);
  show("c", R * C, &c[0][0]);
  return 0;
}
