#include <stdio.h>
int main(int argc, char **argv) {
  static int A[100];
#pragma GCC ivdep
  for (int i = 0; i < 100; i++) A[i] = i;
#pragma GCC unroll 4
  for (int i = 0; i < 100; i++) A[i] += i;
  printf("%d\n", A[99]);
}
