// was: a box with more points than 64 bits hold: kernels ran a few of them, or none
// now: such sizes keep the original loops
// expect: host
// fp: exact
#include <stdio.h>
#include <stdlib.h>

static void diagonal(int n, float A[restrict n][2][2][2]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < i + 2; j++)
      for (int k = i; k < i + 2; k++)
        for (int l = i; l < i + 2; l++)
          A[i][j - i][k - i][l - i] = 1 + i % 7 + j % 11 + 3 * (k % 13) + 5 * (l % 17);
}

int main(void) {
  int n = 2097152; // (n + 1) * (n + 1) * n is beyond 64 bits
  float *a = calloc((size_t)n, 8 * sizeof *a);
  diagonal(n, (float (*)[2][2][2])a);
  for (long k = 0; k < 8L * n; k += 99991)
    printf("%g\n", a[k]);
  free(a);
  return 0;
}
