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
