// Constructs that cannot go to the device as a whole: they work on its values all the same.
// ON DEVICE: 3.0 3.0 3.0 21.0 23.0 11.0
// ON HOST: 9.0 10.0 11.0 21.0 23.0 11.0
#include <stdio.h>
enum { N = 100 };
static double a[N];
static volatile int seen;

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = 3;
#pragma acc data copyin(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] = a[i] * 3;
    printf("%.1f", a[1]);
#pragma acc parallel loop
    for (int i = 0; i < N; i++) {
      seen = i;
      a[i] = a[i] + 1;
    }
    printf(" %.1f", a[1]);
#pragma acc parallel
    {
      a[0] = 20;
#pragma acc loop
      for (int i = 0; i < N; i++)
        a[i] = a[i] + 1;
      a[1] = a[1] + 12;
    }
    printf(" %.1f", a[2]);
#pragma acc update host(a)
    printf(" %.1f %.1f %.1f\n", a[0], a[1], a[2]);
  }
  return 0;
}
