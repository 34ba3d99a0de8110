// Constructs without clauses: what is not present is copied, for the construct alone.
// STATISTICS: data_copies_in 1
// STATISTICS: data_copies_out 0
#include <stdio.h>
enum { N = 400 };
static int a[N], b[N];

int main(void) {
  int sum = 0;
#pragma acc init
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc enter data copyin(a)
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    b[i] = a[i] * 2;
  printf("%d\n", b[7]);
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i];
#pragma acc exit data delete(a)
#pragma acc shutdown
  printf("%d\n", sum);
  return 0;
}
