// expect: offload
// fp: exact
// feature: reductions over rows and columns that are long enough to be shared out among threads, of sizes that are multiples of nothing
#include <stdio.h>

#define R 301
#define C 413

static int a[R][C], x[C], z[R], rows[R], columns[C], least[R], most[C], odd[R], down[C], lower[R];
static long long wide[R];
static unsigned bits[C];
static double sums[R];

static unsigned seed = 77u;

static int rnd(void) {
  seed = seed * 1664525u + 1013904223u;
  return (int)(seed >> 24) - 128;
}

static void show(const char *name, int n, const int *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%d", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void reduce_rows(int r, int c) {
  for (int i = 0; i < r; i++) {
    int sum = i;
    for (int j = 0; j < c; j++)
      sum += a[i][j] * x[j];
    rows[i] = sum - 1;
  }
  for (int i = 0; i < r; i++) {
    least[i] = 1000;
    for (int j = 0; j < c; j++)
      least[i] = a[i][j] < least[i] ? a[i][j] : least[i];
  }
  for (int i = 0; i < r; i++) { // two reductions of one loop
    wide[i] = 0;
    sums[i] = 0;
    for (int j = 0; j < c; j++) {
      wide[i] += (long long)a[i][j] * 100000;
      sums[i] += a[i][j];
    }
  }
  for (int i = r - 1; i >= 0; i--) {
    odd[i] = 0;
    for (int j = 1; j < c; j += 2)
      odd[i] ^= a[i][j] + i;
  }
  for (int i = 0; i < r; i++) { // a triangle
    lower[i] = 7;
    for (int j = 0; j < i; j++)
      lower[i] -= a[i][j];
  }
}

static void reduce_columns(int r, int c) {
  for (int j = 0; j < c; j++)
    columns[j] = -j;
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++)
      columns[j] += a[i][j] * z[i];
  for (int j = 0; j < c; j++) {
    most[j] = -1000;
    bits[j] = 0;
    for (int i = 0; i < r; i++) {
      most[j] = a[i][j] > most[j] ? a[i][j] : most[j];
      bits[j] |= (unsigned)a[i][j] & 255u;
    }
  }
  for (int j = 0; j < c; j++) {
    int total = 0;
    for (int i = r - 1; i >= 5; i--)
      total += a[i][j];
    down[j] = total;
  }
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      a[i][j] = rnd();
  for (int j = 0; j < C; j++)
    x[j] = rnd();
  for (int i = 0; i < R; i++)
    z[i] = rnd();
  for (int k = 0; k < 3; k++) {
    int r = k == 1 ? 1 : R - k, c = k == 2 ? 129 : C - k;
    reduce_rows(r, c);
    reduce_columns(r, c);
    show("rows", r, rows);
    show("least", r, least);
    show("odd", r, odd);
    show("lower", r, lower);
    show("columns", c, columns);
    show("most", c, most);
    show("down", c, down);
    for (int i = 0; i < r; i++)
      printf("%lld %.1f\n", wide[i], sums[i]);
    for (int j = 0; j < c; j++)
      printf("%u\n", bits[j]);
  }
  return 0;
}
