// was: A[i >> 10] is one element for all i, so it was reduced into; but it is written in terms of
//      i, which the reduction's kernel does not have.
// now: The sum arrives in A[0], and A[1] stays 0.
#include <stdio.h>
int main(int argc, char **argv) {
  static int A[4], B[1000]; int i;
  for (i = 0; i < 1000; i++) B[i] = i % 11;
  for (i = 0; i < 1000; i++) A[i >> 10] += B[i];
  printf("%d %d\n", A[0], A[1]);
}
