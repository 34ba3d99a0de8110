// Loops that reduce many values into one: a sum, a maximum and a histogram.
// Original against generated code, on the device:   nestwarp check sum.c --size n=10000 --size bins=16
// How a sum becomes two kernels:                    nestwarp compile sum.c --function sum --emit=opencl
// Sums in source order only; what is left?          nestwarp compile sum.c --fp=strict --emit=plan
// As a program:                                     nestwarp cc -O2 --offload=always sum.c -o sum && ./sum
#include <stdio.h>
#include <stdlib.h>

double sum(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}

double largest(int n, const double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] > m)
      m = x[i];
  return m;
}

// The place that an iteration adds to depends on the data, so its loop is not parallel: see the remark.
void histogram(int n, int bins, const unsigned key[n], int count[bins]) {
  for (int b = 0; b < bins; b++)
    count[b] = 0;
  for (int i = 0; i < n; i++)
    count[key[i] % bins]++;
}

int main(void) {
  enum { N = 1 << 20, BINS = 16 };
  double *x = malloc(N * sizeof *x);
  unsigned *key = malloc(N * sizeof *key);
  int count[BINS];
  if (!x || !key)
    return fprintf(stderr, "no memory\n"), 1;
  for (int i = 0; i < N; i++)
    x[i] = i % 100, key[i] = (unsigned)i * 7u;
  histogram(N, BINS, key, count);
  printf("sum %.0f\nlargest %.0f\ncount of the first bin %d\n", sum(N, x), largest(N, x), count[0]);
  free(x);
  free(key);
  return 0;
}
