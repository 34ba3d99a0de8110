// was: The number of values between two ints was computed in int, where it overflows.
// now: It is computed in 64 bits; all elements are set.
#include <stdio.h>
__attribute__((noinline)) int f(int n, int *restrict A) {
  int s = 0;
  for (int i = -n; i < n + 4096; i += 1 << 20) A[(i >> 20) + 1024] = 7;
  return 0;
}
int main(void) {
  static int A[2100];
  f(1 << 30, A);
  int s = 0;
  for (int i = 0; i < 2100; i++) s += A[i];
  printf("%d\n", s);
}
