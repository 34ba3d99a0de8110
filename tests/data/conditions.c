// if(…) that is false: a construct works on the host, with the host's values.
// ON DEVICE: 1.0 2.0 11.0 22.0 4.0
// ON HOST: 11.0 22.0 22.0 44.0 4.0
#include <stdio.h>
enum { N = 64 };
static double a[N], b[N];

int main(int count, char **words) {
  int yes = count > 0, no = !words;
  for (int i = 0; i < N; i++)
    a[i] = 1, b[i] = 2;
#pragma acc data copyin(a) if(yes)
  {
#pragma acc parallel loop if(yes)
    for (int i = 0; i < N; i++)
      a[i] = a[i] + 10;
    printf("%.1f", a[5]);
#pragma acc parallel loop if(no)
    for (int i = 0; i < N; i++)
      a[i] = a[i] * 2;
#pragma acc update host(a) if(no)
    printf(" %.1f", a[5]);
#pragma acc update host(a) if(yes)
    printf(" %.1f", a[5]);
#pragma acc parallel loop self(yes)
    for (int i = 0; i < N; i++)
      a[i] = a[i] * 2;
    printf(" %.1f", a[5]);
#pragma acc data copyin(b) if(no)
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = b[i] * 2;
  }
  printf(" %.1f\n", b[5]);
  return 0;
}
