// was: double a[4] as a parameter was taken for a promise that there are four elements: only these
//      were copied.
// now: C promises nothing but for a[static 4]; elements beyond are read, too.
#include <stdio.h>
__attribute__((noinline)) void gather(int n, const int idx[n], double a[4], double *restrict out) { for (int i = 0; i < n; i++) out[i] = a[idx[i]]; }
int main(void) { static int idx[100]; static double a[100], o[100]; for (int i = 0; i < 100; i++) { idx[i] = 99 - i; a[i] = i; } gather(100, idx, a, o); printf("%g %g\n", o[0], o[99]); }
