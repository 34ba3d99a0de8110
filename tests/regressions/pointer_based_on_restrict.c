// was: q = p + 1 is based on the restrict pointer p, so that it may alias it; they were taken for
//      distinct.
// now: q[i] = p[i] + 1 keeps its order: 99 is printed.
#include <stdio.h>
__attribute__((noinline)) void f(int *restrict p, int n) {
  int *q = p + 1;                       /* based on p: may alias it */
  for (int i = 0; i < n; i++) q[i] = p[i] + 1;
}
int main(void) { static int a[100]; f(a, 99); printf("%d\n", a[99]); }
