// Addresses on the device, handed to somebody who wants them.
#include <stdio.h>
enum { N = 256 };

static void twice(int n, float *restrict x) {
#pragma acc parallel loop deviceptr(x)
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i];
}

int main(void) {
  float a[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(a)
    twice(N, a);
#pragma acc host_data use_device(a) if_present
    {
      twice(N, a);
    }
  }
#pragma acc host_data use_device(a) if_present
  printf("%.1f", a[3]);
  printf(" %.1f\n", a[200]);
  return 0;
}
