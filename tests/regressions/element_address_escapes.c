// was: &a[0] was not seen as taking the address of a: what p reads was not the array the nest had
//      written.
// now: p[k] reads what the nest stored into a[k].
#include <stdio.h>
int main(int argc, char **argv) {
  int a[100]; int i; int n = 99 + argc;
  for (i = 0; i < 100; i++) a[i] = -1;
  int *p = &a[0];
  for (i = 0; i < n; i++) a[i] = i * 3;
  printf("%d %d %d\n", p[1], p[50], p[99]);
}
