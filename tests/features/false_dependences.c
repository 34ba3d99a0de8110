// expect: mixed
// fp: exact
// feature: memory that is used again: values from before a loop, rows that every iteration sets anew, and what only looks like it
#include <stdio.h>

#define R 41
#define C 67

static int a[R * C], m[R][C], w[R][R], row[C], kept[C], global[C];

static unsigned seed = 61u;

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

static void fill(void) {
  for (int i = 0; i < R * C; i++)
    a[i] = rnd(-9, 9);
  for (int i = 0; i < R; i++) {
    for (int j = 0; j < C; j++)
      m[i][j] = rnd(-9, 9);
    for (int j = 0; j < R; j++)
      w[i][j] = rnd(-9, 9);
  }
  for (int j = 0; j < C; j++)
    row[j] = kept[j] = global[j] = rnd(-9, 9);
}

static void shift(int n, int *v) {
  for (int i = 0; i < n - 1; i++)
    v[i] = v[i + 1] * 2 + v[i];
}

static void shift_up(int n, int v[n]) {
  for (int i = n - 1; i >= 3; i--)
    v[i] = v[i - 3] - i;
}

static void mirror(int n, int v[n]) { // the second half sees the first
  for (int i = 0; i < n; i++)
    v[i] = v[n - 1 - i] + 1;
}

static void running(int n, int v[n]) { // a true dependence beside a false one
  for (int i = 1; i < n - 1; i++)
    v[i] = (v[i - 1] + v[i + 1]) % 1009;
}

static void swap_all(int n, int v[n]) {
  for (int i = 0; i < n - 1; i++) {
    int t = v[i];
    v[i] = v[i + 1];
    v[i + 1] = t + 1;
  }
}

static void corner(int r, int c, int v[r][c]) {
  for (int i = 0; i < r - 1; i++)
    for (int j = 0; j < c - 1; j++)
      v[i][j] = v[i + 1][j] + v[i][j + 1] - v[i + 1][j + 1] + v[i][j];
}

static void in_time(int steps, int r, int c, int v[r][c]) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < r - 1; i++)
      for (int j = 0; j < c; j++)
        v[i][j] = (v[i][j] + v[i + 1][j]) % 1009 + t;
}

static void product(int r, int c, int x[r][r], int v[r][c]) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      for (int k = i + 1; k < r; k++)
        v[i][j] += x[k][i] * v[k][j];
      v[i][j] = 3 * v[i][j];
    }
}

static void flat(int r, int c, int *v) {
  for (int i = 0; i < r - 1; i++)
    for (int j = 0; j < c; j++)
      v[i * c + j] = v[(i + 1) * c + j] + j;
}

static void rows(int r, int c, int v[r][c], int *line) {
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < c; j++)
      line[j] = v[i][j] * 2 + i;
    for (int j = 0; j < c; j++)
      v[i][j] = line[j] + line[c - 1 - j];
  }
}

static void shorter_rows(int r, int c, int v[r][c], int line[c]) {
  for (int i = 0; i < r; i++) {
    for (int j = i; j < c; j++)
      line[j] = v[i][j] * 2 + i;
    for (int j = i; j < c; j++)
      v[i][j] = line[j] + line[c - 1];
  }
}

static void carried_rows(int r, int c, int v[r][c], int line[c]) { // element 0 is never set
  for (int i = 0; i < r; i++) {
    for (int j = 1; j < c; j++)
      line[j] = v[i][j] * 2 + i;
    for (int j = 0; j < c; j++)
      v[i][j] = line[j] + 1;
  }
}

static void some_rows(int r, int c, int v[r][c], int line[c]) { // what is not set is from an earlier row
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < c; j++)
      if (v[i][j] > 0)
        line[j] = v[i][j] * 2 + i;
    for (int j = 0; j < c; j++)
      v[i][j] = line[j] + 1;
  }
}

static void global_row(int r, int v[r][C]) {
  for (int i = r - 1; i >= 0; i--) {
    for (int j = 0; j < C; j++)
      global[j] = v[i][C - 1 - j] - i;
    for (int j = 0; j < C; j++)
      v[i][j] = global[j] * 3;
  }
}

int main(void) {
  static const int sizes[] = {1, 2, 300}, heights[] = {1, 2, 12}; // arrays as parameters have elements
  for (int k = 0; k < 3; k++) {
    int n = sizes[k];
    fill();
    shift(0, a);
    shift(n, a);
    shift_up(n, a);
    mirror(n, a);
    running(n, a);
    swap_all(n, a);
    show("one dimension", R * C, a);
  }
  for (int k = 0; k < 3; k++) {
    int r = heights[k], c = C - r;
    fill();
    corner(R, C, m);
    in_time(r, R, C, m);
    show("two dimensions", R * C, &m[0][0]);
    fill();
    product(R, C, w, m);
    show("product", R * C, &m[0][0]);
    flat(0, c, a);
    flat(r, c, a);
    show("flat", R * C, a);
    fill();
    rows(r, C, m, row);
    shorter_rows(r, C, m, kept);
    show("rows", R * C, &m[0][0]);
    carried_rows(r, C, m, row);
    some_rows(r, C, m, kept);
    global_row(r, m);
    show("rows", R * C, &m[0][0]);
    show("what is left", C, row);
    show("what is left", C, kept);
    show("what is left", C, global);
  }
  fill(); // the row is one of the matrix: the original must run
  rows(R, C, m, m[3]);
  show("overlapping", R * C, &m[0][0]);
  return 0;
}
