// A five-point average in two arrays that take turns, many steps. The result is a checksum, the same on every device.
// On the device, whether it pays off or not:   nestwarp cc -O2 --offload=always jacobi.c -o jacobi
// What the run did (kernels, bytes moved):     NESTWARP_STATS=1 ./jacobi 500 200
// The same program without any device:         NESTWARP_DEVICE=none ./jacobi 500 200
// The time loop may run inside one kernel:     nestwarp compile jacobi.c --function jacobi --emit=plan
#include <stdio.h>
#include <stdlib.h>

static void jacobi(int n, int steps, int A[n][n], int B[n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 5;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (B[i][j] + B[i - 1][j] + B[i + 1][j] + B[i][j - 1] + B[i][j + 1]) / 5;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 500, steps = argc > 2 ? atoi(argv[2]) : 200;
  if (n < 1 || steps < 0)
    return fprintf(stderr, "usage: jacobi [SIZE [STEPS]]\n"), 1;
  int (*A)[n] = malloc(sizeof(int[n][n])), (*B)[n] = malloc(sizeof(int[n][n]));
  if (!A || !B)
    return fprintf(stderr, "no memory for a grid of size %d\n", n), 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] = (i * 31 + j * 17) % 1000 * 1000;
  jacobi(n, steps, A, B);
  long long sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += (long long)A[i][j] * (1 + (i + 2 * j) % 7);
  printf("checksum %lld\n", sum);
  free(A);
  free(B);
  return 0;
}
