// was: inside a parallel region, each of OpenMP's threads had the device do the whole loop that they
//      were to share out.
// now: what gcc prints; files with -fopenmp stay on the host (NW0114).
// expect: host
// flags: -fopenmp
#include <stdio.h>

#define N 1000

static int a[N];

int main(void) {
#pragma omp parallel num_threads(4)
  for (volatile int k = 0; k < 50; k++) {
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
  long sum = 0;
  for (volatile int i = 0; i < N; i++)
    sum += a[i];
  printf("%ld\n", sum);
  return 0;
}
