// was: r = A + k was evaluated with the k of before the nest in all iterations; an inner loop
//      changes k.
// now: r is computed with the k that the iteration before has left: 7 once, then 4.
#include <stdio.h>
int main(int argc, char **argv) {
  static double A[200]; int i, k;
  for (k = 0; k < 7 * argc; k++) A[k] = 0;
  for (i = 0; i < 10; i++) {
    double *r = A + k;               /* k = 7 the first time, 4 later */
    for (k = 0; k < 4; k++) r[i * 10 + k] = i + 1;
  }
  for (i = 0; i < 200; i++) printf("%g\n", A[i]);
}
