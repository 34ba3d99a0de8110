// was: Once a[i + 1] was read from a copy, a[i] >= b[i][k] ? a[i] : b[i][k] was taken for a
//      reduction in any order; but it begins anew after a NaN.
// now: Its order is kept, and the NaN is where C puts it; the nest runs on the device.
// expect: offload
#include <math.h>
#include <stdio.h>

#define N 30
#define M 500

static float a[N + 1], b[N][M];

int main(void) {
  unsigned seed = 7u;
  for (int i = 0; i < N; i++) {
    a[i] = i % 3 ? 10000.0f : NAN;
    for (int k = 0; k < M; k++) {
      seed = seed * 1664525u + 1013904223u;
      b[i][k] = (float)(seed >> 20) - 2000.0f;
    }
  }
  a[N] = 1000.0f;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      if (a[i + 1] > b[i][k])
        a[i] = a[i] >= b[i][k] ? a[i] : b[i][k];
  for (int i = 0; i <= N; i++)
    if (isnan(a[i]))
      printf("none\n");
    else
      printf("%g\n", a[i]);
  return 0;
}
