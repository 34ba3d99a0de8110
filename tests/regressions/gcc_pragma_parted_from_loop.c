// was: #pragma GCC ivdep and unroll were parted from their loops by what was put in front of these,
//      and gcc refused the host text.
// now: A pragma stays right before its loop; the program builds.
#include <stdio.h>
int main(int argc, char **argv) {
  static int A[100];
#pragma GCC ivdep
  for (int i = 0; i < 100; i++) A[i] = i;
#pragma GCC unroll 4
  for (int i = 0; i < 100; i++) A[i] += i;
  printf("%d\n", A[99]);
}
