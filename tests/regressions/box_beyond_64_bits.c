// was: a box with more points than 64 bits hold: kernels ran a few of them, or none
// now: such sizes keep the original loops
// expect: host
// fp: exact
#include <stdio.h>
#include <stdlib.h>

static void halves(int n, float A[restrict n][2][2][2]) {
  for (int i = 0; i < n; i++)
    for (int j = i / 2; j < i / 2 + 2; j++)
      for (int k = i / 2; k < i / 2 + 2; k++)
        for (int l = i / 2; l < i / 2 + 2; l++)
          A[i][j - i / 2][k - i / 2][l - i / 2] = 1 + i % 7 + j % 11 + 3 * (k % 13) + 5 * (l % 17);
}

// Two counts in 64 bits.
static void far_apart(long n, float *restrict a) {
  for (long i = 0; i < 4; i++)
    for (long j = i * n / 4; j < i * n / 4 + 2; j++)
      for (long k = i * n / 4; k < i * n / 4 + 2; k++)
        a[i * 4 + (j - i * n / 4) * 2 + (k - i * n / 4)] = 1 + i;
}

// The same in numbers.
enum { N = 1 << 22 };
static void numbers(float A[restrict N][2][2][2]) {
  for (int i = 0; i < N; i++)
    for (int j = i / 2; j < i / 2 + 2; j++)
      for (int k = i / 2; k < i / 2 + 2; k++)
        for (int l = i / 2; l < i / 2 + 2; l++)
          A[i][j - i / 2][k - i / 2][l - i / 2] = 2 + i % 7 + j % 11;
}

int main(void) {
  int n = 1 << 22; // n * (n / 2 + 1) * (n / 2 + 1) is beyond 64 bits
  float *a = calloc((size_t)n, 8 * sizeof *a);
  halves(n, (float (*)[2][2][2])a);
  for (long k = 0; k < 8L * n; k += 99991)
    printf("%g\n", a[k]);
  numbers((float (*)[2][2][2])a);
  for (long k = 0; k < 8L * n; k += 99991)
    printf("%g\n", a[k]);
  far_apart(1L << 40, a);
  for (long k = 0; k < 16; k++)
    printf("%g\n", a[k]);
  free(a);
  return 0;
}
