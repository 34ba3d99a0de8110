// expect: offload
// feature: INFINITY, HUGE_VAL and NAN; isnan, isinf and isfinite
#include <math.h>
#include <stdio.h>

static float x[1000], y[1000];
static double d[1000];
static int c[1000];

int main(void) {
  for (int i = 0; i < 1000; i++)
    x[i] = i % 7 == 0 ? NAN : i % 7 == 1 ? INFINITY : i % 7 == 2 ? -HUGE_VALF : i;
  for (int i = 0; i < 1000; i++) {
    y[i] = isnan(x[i]) ? -1 : isinf(x[i]) ? (x[i] > 0 ? 2 : -3) : isfinite(x[i]) ? 5 + x[i] : 9;
    d[i] = i % 3 ? HUGE_VAL : -INFINITY;
    c[i] = 1000 * __builtin_isinf(x[i]) + (isinf(d[i]) != 0) + 10 * (isnan((double)x[i]) != 0) + 100 * (isfinite(x[i]) != 0);
  }
  double s = 0;
  int n = 0, k = 0;
  for (int i = 0; i < 1000; i++) {
    s += y[i];
    n += d[i] > 0;
    k += c[i];
  }
  printf("%g %d %d\n", s, n, k);
}
