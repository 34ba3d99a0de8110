// A loop that is not a construct has the host's values, wherever it runs; the device's stay apart.
// ON DEVICE: 5.0 105.0
// ON HOST: 5.0 5.0
#include <stdio.h>
enum { N = 1000 };
static double a[N];

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = 5;
#pragma acc data copyin(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] = a[i] + 100;
#pragma scop
    for (int i = 0; i < N; i++)
      a[i] = 5;
#pragma endscop
    double before = a[7];
#pragma acc update self(a)
    printf("%.1f %.1f\n", before, a[7]);
  }
  return 0;
}
