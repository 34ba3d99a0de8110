// was: c->scale, read under a condition, was read before the nest in any case: with a null pointer
//      the program crashed.
// now: What is behind a null pointer is not read; 50 is printed.
#include <stdio.h>
struct cfg { int n; double scale; };
__attribute__((noinline)) void f(int use, struct cfg *c, int n, double *restrict A) {
  for (int i = 0; i < n; i++) { A[i] = i; if (use) A[i] *= c->scale; }
}
int main(void) {
  static double A[100];
  f(0, 0, 100, A);
  printf("%g\n", A[50]);
}
