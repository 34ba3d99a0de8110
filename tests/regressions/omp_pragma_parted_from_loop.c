// was: #pragma omp parallel for was parted from its loop by what was put in front of it.
// now: A pragma stays right before its loop; the program builds.
#include <stdio.h>
int main(int argc, char **argv) {
  static int A[100];
#pragma omp parallel for
  for (int i = 0; i < 100; i++) A[i] = i;
  printf("%d\n", A[99]);
}
