// Regions inside regions, sections, functions that expect data, and constructs that bring their own.
// STATISTICS: data_copies_in 2
// STATISTICS: data_copies_out 1
// STATISTICS: exchanges 0
#include <stdio.h>
enum { N = 500 };
static double a[N], b[N];

static void scale(int n, double *x, double by) {
#pragma acc parallel loop present(x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] = x[i] * by;
}

static void add(int n, double *restrict x, const double *restrict y) {
#pragma acc parallel loop copy(x[0 : n]) copyin(y[0 : n])
  for (int i = 0; i < n; i++)
    x[i] += y[i];
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = 2 * i;
#pragma acc data copy(a) copyin(b[0 : N])
  {
    scale(N, a, 3);
#pragma acc data copy(a[100 : 50])
    {
      scale(50, a + 100, 2);
#pragma acc kernels loop independent
      for (int i = 0; i < N; i++)
        a[i] = a[i] + 1;
    }
    add(N, a, b);
  }
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += a[i] * (i % 7);
  printf("%.1f %.1f %.1f %.1f\n", sum, a[99], a[100], a[150]);
  return 0;
}
