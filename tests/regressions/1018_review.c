#include <stdio.h>
#define TWICE(S) S S
int main(int argc, char **argv) {
  static int A[100]; int n = 99 + argc;
  TWICE(for (int i = 0; i < n; i++) { A[i] = A[i] + i; })
  printf("%d\n", A[50]);
}
