// WRONG CODE: the generated parameter for n*m is called value0 and is merged with the user's variable value0; the kernel
// tests 2*value0 >= i+1. expected 48 times 3, actual 6 times 3. affine_expr.cpp AffineReader::parameter(): name not fresh.
#include <stdio.h>
int r[60], value0 = 3;
__attribute__((noinline)) void h(int n, int m) {
  for (int i = 0; i < n * m + value0; i++) r[i] += value0;
}
int main(void) { h(5, 9); for (volatile int i = 0; i < 60; i++) printf("%d ", r[i]); }
