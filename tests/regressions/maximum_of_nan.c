// was: fmax and comparisons were reduced in one way, though they treat NaN differently.
// now: fmax passes over NaN; the loops of comparisons give what C's order gives.
#include <stdio.h>
#include <math.h>
int main(int argc, char **argv) {
  static double A[1000]; double m = NAN, k = -1, q = 1e9; int i;
  for (i = 0; i < 1000; i++) A[i] = i % 100;
  A[500] = NAN;
  for (i = 0; i < 1000; i++) m = fmax(m, A[i]);
  for (i = 0; i < 1000; i++) k = k > A[i] ? k : A[i];
  for (i = 0; i < 1000; i++) if (!(A[i] >= q)) q = A[i];
  printf("%g %g %g\n", m, k, q);
}
