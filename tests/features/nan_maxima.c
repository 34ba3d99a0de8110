// expect: offload
// strict-expect: any
// feature: fminf and fmaxf of values that are all NaN are NaN, where threads share the reduction too
#include <math.h>
#include <stdio.h>

static float x[5000], rows[300][1100], most[300], least[300];

static void fill(void) {
  for (int i = 0; i < 5000; i++)
    x[i] = NAN;
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 1100; j++)
      rows[i][j] = i % 3 == 0 || (i % 3 == 1 && j % 7) ? NAN : (float)(i * j % 101) - 50;
}

static float mostOf(void) {
  float m = NAN;
  for (int i = 0; i < 5000; i++)
    m = fmaxf(m, x[i]);
  return m;
}

static float leastOf(void) {
  float m = x[0];
  for (int i = 0; i < 5000; i++)
    m = fminf(x[i], m);
  return m;
}

static void ofRows(void) {
  for (int i = 0; i < 300; i++) {
    float m = NAN, l = NAN;
    for (int j = 0; j < 1100; j++) {
      m = fmaxf(m, rows[i][j]);
      l = fminf(l, rows[i][j]);
    }
    most[i] = m;
    least[i] = l;
  }
}

int main(void) {
  fill();
  printf("%d %d\n", isnan(mostOf()) != 0, isnan(leastOf()) != 0);
  x[4321] = 7;
  printf("%g %g\n", mostOf(), leastOf());
  ofRows();
  for (int i = 0; i < 6; i++)
    printf("%g %g\n", isnan(most[i]) ? 1000 : most[i], isnan(least[i]) ? 1000 : least[i]);
}
