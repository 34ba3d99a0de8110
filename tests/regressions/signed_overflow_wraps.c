// was: -fwrapv was taken and ignored in kernels: a sum that overflows was said to be larger than
//      what it is a sum of.
// now: what gcc prints, with signed arithmetic that wraps around.
// expect: offload
// flags: -fwrapv
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int a[N], b[N], c[N], d[N], e[N];
static long long l[N], m[N];
static short h[N];

static void tests(int n) {
  for (int i = 0; i < n; i++)
    b[i] = a[i] + 1 < a[i];
  for (int i = 0; i < n; i++) {
    c[i] = a[i] * 1103515245 + 12345;
    d[i] = (a[i] << 3) - (-a[i] > 0 ? 1 : 2) + abs(a[i] + 1);
    m[i] = l[i] + 5 < l[i] ? -1 : l[i] * 3;
    h[i] += (short)(a[i] + i);
  }
}

// Sums and products that overflow, in any order.
static void reductions(int n, int *sum, int *product, long long *wide) {
  for (int i = 0; i < n; i++)
    *sum += a[i];
  for (int i = 0; i < n; i++)
    *product *= a[i] | 1;
  for (int i = 0; i < n; i++)
    *wide -= l[i];
}

// A hash as a subscript.
static void hashed(int n) {
  for (int i = 0; i < n; i++)
    e[i] = c[(i * 1103515245 + 12345) & 511];
}

// Bounds that wrap around: the first loop runs, as start + 10 is the smallest of all numbers; the
// second does not end before its counter has.
static int bounds(int start, int last) {
  int count = 0, others = 0;
  if (start + 10 < start)
    for (int i = 0; i < N; i++)
      count += a[i] & 1;
  for (int i = INT_MAX - 3; i > 0 && i <= last; i++)
    others++;
  for (int i = 0; i < N; i++)
    if (i + start < i)
      d[i] += 1;
  return count * 10 + others;
}

// The same with 64 bits.
static void wide_test(long long x, int n) {
  for (int i = 0; i < n; i++)
    if (x + 1 < x)
      e[i] += 7;
}

int main(void) {
  for (volatile int i = 0; i < N; i++) {
    a[i] = INT_MAX - i % 3;
    l[i] = LLONG_MAX - i % 7;
    h[i] = (short)(i * 77);
  }
  int sum = 1, product = 1;
  long long wide = 2;
  tests(N);
  reductions(N, &sum, &product, &wide);
  hashed(N);
  int bound = bounds(INT_MAX - 2, INT_MAX);
  wide_test(LLONG_MAX, N);
  printf("%d %d %lld %d\n", sum, product, wide, bound);
  for (volatile int i = 0; i < N; i += 7)
    printf("%d: %d %d %d %lld %d %d\n", i, b[i], c[i], d[i], m[i], h[i], e[i]);
  return 0;
}
