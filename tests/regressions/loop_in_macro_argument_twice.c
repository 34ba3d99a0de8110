// was: A loop in an argument of a macro that repeats it was rewritten as if it stood there once.
// now: Loops in arguments of macros stay as they are; the sum is added twice.
#include <stdio.h>
#define TWICE(S) S S
int main(int argc, char **argv) {
  static int A[100]; int n = 99 + argc;
  TWICE(for (int i = 0; i < n; i++) { A[i] = A[i] + i; })
  printf("%d\n", A[50]);
}
