// was: A pointer to a row, a[2], was not seen as taking the address of a.
// now: p[k] reads what the nest stored into a[2][k].
#include <stdio.h>
int main(int argc, char **argv) {
  int a[10][10]; int i, j; int n = 9 + argc;
  int *p = a[2];
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i][j] = i * 3 + j;
  printf("%d %d\n", p[1], p[5]);
}
