// was: &s.x and &arr[3].y were not seen as taking the address of s and arr.
// now: The pointers read what the nests have stored.
#include <stdio.h>
struct P { double x, y; };
int main(int argc, char **argv) {
  struct P s = {1, 2}; double A[100]; double *q = &s.x; struct P arr[100];
  double *w = &arr[3].y;
  for (int i = 0; i < 100; i++) A[i] = i + argc;
  for (int i = 0; i < 100; i++) arr[i].y = A[i];
  for (int i = 0; i < 100; i++) s.x += A[i];
  printf("%g %g\n", *q, *w);
}
