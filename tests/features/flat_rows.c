// expect: mixed
// fp: exact
// feature: flattened arrays whose rows are recovered, and those whose subscripts leave their rows, have rows of several lengths, or overlap
#include <stdio.h>

#define SIZE 6000

static int a[SIZE], b[SIZE], c[SIZE];

static unsigned seed = 17u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void show(const char *name, const int *v) {
  unsigned sum = 0;
  for (int i = 0; i < SIZE; i++)
    sum = sum * 31 + (unsigned)v[i];
  printf("%s %u:", name, sum);
  for (int i = 0; i < SIZE; i += 97)
    printf(" %d", v[i]);
  printf("\n");
}

static void transpose(int n, int m, int *out, const int *in) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[j * n + i] = in[i * m + j];
}

static void product(int n, int m, int l, int *C, const int *A, const int *B) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int sum = 0;
      for (int k = 0; k < l; k++)
        sum += A[i * l + k] % 100 * (B[k * m + j] % 100);
      C[i * m + j] = sum;
    }
}

// With `last` = n the last element is the first of the next row.
static void shifted(int rows, int n, int last, int *out, const int *in) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < last; j++)
      out[i * n + j] = in[(i + 1) * n + j] + in[i * n + j + 1] - j;
}

// Each iteration reads what the row before has written, where `last` is larger than n.
static void running(int rows, int n, int last, int *p) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j <= last; j++)
      p[i * n + j] = p[i * n + j] % 977 + i;
}

static void bordered(int n, int m, int *out, const int *in) {
  for (int i = 1; i < n + 1; i++)
    for (int j = 1; j < m + 1; j++)
      out[i * (m + 2) + j] = in[(i - 1) * (m + 2) + j - 1] + 2 * in[i * (m + 2) + j] + in[(i + 1) * (m + 2) + j + 1];
}

// The diagonal, by a stride that is not a row.
static void diagonal(int n, int *p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i * n + j] += p[i * n + j] % 7;
  for (int i = 0; i < n; i++)
    p[i * (n + 1)] = -i;
}

static void constants(int *out, const int *in) {
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 64; j++)
      out[j * 64 + i] = in[i * 64 + j];
}

// Rows of constant length that are left, so that they overlap.
static void hops(int frames, int *out, const int *in) {
  for (int f = 0; f < frames; f++)
    for (int t = 0; t < 40; t++)
      out[f * 40 + t] = in[f * 16 + t];
}

static void pixels(int h, int w, int *out, const int *in) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3; k++)
        out[(y * w + x) * 3 + k] = in[(y * w + x) * 3 + (2 - k)];
}

static void volume(long l, long n, long m, int *out, const int *in) {
  for (long i = 1; i < l - 1; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        out[(i * n + j) * m + k] = in[((i - 1) * n + j) * m + k] - in[((i + 1) * n + j) * m + k];
}

static void unsigned_index(unsigned n, unsigned m, int *out, const int *in) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      out[(unsigned long)i * m + j] = in[(unsigned long)i * m + j] * 3;
}

static void lengths(int n, int m, int *out, const int *in) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * m + j] = in[i * m + j] - in[j * n + i];
}

static void whole(int n, int m, int all, int *p, int *q) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      p[i * m + j] += q[i * m + j] % 11;
  for (int k = 0; k < all; k++)
    p[k] ^= k;
}

int main(void) {
  for (int k = 0; k < SIZE; k++) {
    a[k] = rnd(-1000, 1000);
    b[k] = rnd(-1000, 1000);
    c[k] = rnd(-1000, 1000);
  }
  transpose(61, 73, b, a);
  show("transposed", b);
  product(47, 53, 59, c, a, b);
  show("product", c);
  shifted(60, 70, 69, b, a);
  show("in rows", b);
  shifted(60, 70, 70, b, a);
  show("one too far", b);
  running(50, 60, 59, c);
  show("apart", c);
  running(50, 60, 60, c);
  show("overlapping", c);
  running(50, 60, 95, c);
  show("far", c);
  bordered(55, 66, b, a);
  show("bordered", b);
  diagonal(64, b);
  show("diagonal", b);
  constants(c, a);
  show("constants", c);
  hops(120, c, a);
  show("hops", c);
  pixels(33, 47, b, a);
  show("pixels", b);
  volume(11, 17, 23, c, a);
  show("volume", c);
  unsigned_index(60, 71, b, a);
  show("unsigned", b);
  lengths(50, 64, c, a);
  show("lengths", c);
  whole(40, 60, 2400, b, a);
  show("whole", b);
  transpose(40, 40, a, a); // in place: the two are the same memory
  show("overlapping pointers", a);
  transpose(40, 40, a + 800, a);
  show("half", a);
  return 0;
}
