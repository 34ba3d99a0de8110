// Clauses of parallel without loop: reductions and private arrays; sections of pointers as their extents, for scatters and gathers.
// WITH: --offload=always
// STATISTICS: regions_on_host 0
// STATISTICS: exchanges 0
#include <stdio.h>
#include <stdlib.h>
enum { N = 500 };

// Each iteration has a tmp of its own, though which elements it uses only the data say.
static double reduced(int n, double *a, int *key, double *out) {
  double sum = 0;
  double tmp[8];
#pragma acc data copyin(key[0:n], a[0:n]) copy(out[0:n])
  {
#pragma acc parallel reduction(+ : sum) private(tmp)
    {
#pragma acc loop
      for (int i = 0; i < n; i++) {
        tmp[key[i] & 7] = a[i];
        double v = tmp[key[i] & 7];
        out[key[i]] = v;
        sum += v;
      }
    }
  }
  return sum;
}

static int every(int n, double *a, int all) {
#pragma acc parallel default(none) copyin(a[0:n]) firstprivate(n) reduction(&& : all)
#pragma acc loop
  for (int i = 0; i < n; i++)
    all = all && a[i] > -1;
  return all;
}

static void rows(int n, int m, float (*x)[16], float (*y)[m], int *key) {
#pragma acc parallel loop copyin(x[0:n][0:16], key[0:n]) copy(y[0:n][0:m])
  for (int i = 0; i < n; i++) {
    int k = key[i];
    for (int j = 0; j < 16; j++)
      y[k][j] = x[k][j] + 1;
  }
}

int main(void) {
  double *a = malloc(N * sizeof *a), *out = calloc(N, sizeof *out);
  int *key = malloc(N * sizeof *key);
  float (*x)[16] = malloc(N * sizeof *x), (*y)[20] = calloc(N, sizeof *y);
  for (int i = 0; i < N; i++) {
    a[i] = i % 19, key[i] = (i * 7 + 3) % N;
    for (int j = 0; j < 16; j++)
      x[i][j] = (float)(i * j);
  }
  printf("%.1f", reduced(N, a, key, out));
  printf(" %.1f %.1f %.1f\n", out[0], out[3], out[N - 1]);
  printf("%d %d\n", every(N, a, 7), every(0, a, 7));
  rows(N, 20, x, y, key);
  printf("%.1f %.1f %.1f\n", y[3][4], y[N - 1][15], y[N - 1][16]);
  return 0;
}
