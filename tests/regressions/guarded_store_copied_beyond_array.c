// was: B[i] is stored under a condition on data. The range copied was that of all i, beyond the end
//      of B: neighbours were overwritten.
// now: Ranges end with the array; C0 and C1 keep their values.
#include <stdio.h>
static int C0[100], B[16], C1[100], mask[100];
int main(int argc, char **argv) {
  for (int i = 0; i < 16; i++) mask[i] = argc;
  for (int i = 0; i < 100; i++) { if (mask[i]) B[i] = 1; C0[i] = 2 + i; C1[i] = 3 + i; }
  int s = 0, t = 0, u = 0;
  for (int i = 0; i < 100; i++) { s += C0[i]; u += C1[i]; }
  for (int i = 0; i < 16; i++) t += B[i];
  printf("%d %d %d\n", s, t, u);
}
