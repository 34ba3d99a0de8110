// was: re and im are restrict and interleave: the copy of one back to the host overwrote the
//      elements of the other in between.
// now: Elements of both arrive, whichever is copied last.
#include <stdio.h>
__attribute__((noinline)) void f(double *restrict re, double *restrict im, int n) {
  for (int i = 0; i < n; i++) { re[2 * i] = 1.0 + re[2 * i]; im[2 * i] = 2.0 * i; }
}
int main(void) {
  static double z[200];
  for (int i = 0; i < 200; i++) z[i] = -i;
  f(z, z + 1, 100);
  for (int i = 0; i < 200; i++) printf("%g\n", z[i]);
}
