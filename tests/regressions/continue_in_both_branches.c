// was: Continues at the end of both branches of an if: what follows the if ran all the same.
// now: R[i] counts the iterations that reach its line only.
#include <stdio.h>
static int A[20][30], R[20];
int main(int argc, char **argv) {
  int n = 19 + argc;
  for (int i = 0; i < n; i++) for (int j = 0; j < 30; j++) { if (j < 5) { if (i & 1) continue; A[i][j] = 1; } else { if (j > 20) continue; A[i][j] = 2; } R[i] += 1; }
  unsigned s = 0; for (int i = 0; i < 20; i++) { for (int j = 0; j < 30; j++) s = s * 3 + A[i][j]; s += R[i] * 1000; }
  printf("%u\n", s);
}
