// was: The continue of a nested if skipped only the rest of its own block; C[i] = 2 ran all the
//      same.
// now: It skips the rest of the iteration.
#include <stdio.h>
int main(int argc, char **argv) {
  int n = 50 + argc; int i;
  double A[60], B[60], C[60];
  for (i = 0; i < 60; i++) { B[i] = i % 7; A[i] = 0; C[i] = 0; }
  for (i = 0; i < n; i++) {
    if (B[i] > 2) { if (B[i] > 5) continue; A[i] = 1; }
    C[i] = 2;
  }
  for (i = 0; i < 60; i++) printf("%g %g\n", A[i], C[i]);
}
