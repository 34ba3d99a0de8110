// was: The counters after the nest were computed from the outer m where the loop used the m
//      declared inside.
// now: j is what the loop left it at, by the inner m.
#include <stdio.h>
int main(int argc, char **argv) {
  static int A[60][60]; int i, j, m = 50 + argc;
  for (i = 0; i < m; i++) {
    int m = 7 - argc;
    for (j = 0; j < m; j++) A[i][j] = i + j;
  }
  printf("%d %d\n", i, j);
}
