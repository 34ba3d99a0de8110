// A matrix product as anybody writes it. With a compiler:      cc -O2 mm.c -o mm
// On the device, where that pays off:                  nestwarp cc -O2 mm.c -o mm
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void mm(int n, float C[n][n], float A[n][n], float B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  float (*A)[n] = malloc(sizeof(float[n][n])), (*B)[n] = malloc(sizeof(float[n][n])), (*C)[n] = malloc(sizeof(float[n][n]));
  if (n < 1 || !A || !B || !C)
    return fprintf(stderr, "no memory for matrices of size %d\n", n), 1;
  unsigned seed = 1; // small integers: every sum is exact, whatever its order
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      seed = seed * 1664525u + 1013904223u;
      A[i][j] = (float)(seed >> 28);
      B[i][j] = (float)(seed >> 20 & 15);
    }
  mm(n, C, A, B); // once to warm up: the first call finds the device and compiles the kernel
  double start = now();
  mm(n, C, A, B);
  double seconds = now() - start, sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += C[i][j] * (1 + (i + 2 * j) % 7);
  printf("time %.4f s\nspeed %.2f Gflop/s\nchecksum %.0f\n", seconds, 2.0 * n * n * n / seconds * 1e-9, sum);
  free(A);
  free(B);
  free(C);
  return 0;
}
