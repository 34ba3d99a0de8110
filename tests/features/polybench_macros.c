// expect: offload
// fp: tol
// feature: macro style: arrays, loop bounds, types and constants through macros
#include <stdio.h>

#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define NI 37
#define NJ 45
#define _PB_NI (ni)
#define _PB_NJ (nj)
#define MATRIX(name, rows, cols) DATA_TYPE name[rows][cols]
#define DECLARE_MATRIX(name, rows, cols) static DATA_TYPE name[rows][cols]
#define ARRAY(x) x

static unsigned seed = 192u;

static double frnd(void) {
  seed = seed * 1664525u + 1013904223u;
  return 0.25 + (double)(seed >> 9) / 8388608.0;
}

static void show(const char *name, int n, const double *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%.5e", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void init_array(int ni, int nj, MATRIX(A, NI, NJ), MATRIX(B, NJ, NI)) {
  int i, j;
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++) {
      A[i][j] = frnd();
      B[j][i] = frnd();
    }
}

static void kernel_product(int ni, int nj, DATA_TYPE alpha, MATRIX(A, NI, NJ), MATRIX(B, NJ, NI),
                           MATRIX(C, NI, NI)) {
  int i, j, k;

#pragma scop
  for (i = 0; i < _PB_NI; i++)
    for (j = 0; j < _PB_NI; j++) {
      C[i][j] = SCALAR_VAL(0.0);
      for (k = 0; k < _PB_NJ; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (i = 0; i < _PB_NI; i++)
    C[i][i] = SCALAR_VAL(1.0) / (SCALAR_VAL(1.0) + C[i][i]);
#pragma endscop
}

DECLARE_MATRIX(A, NI, NJ);
DECLARE_MATRIX(B, NJ, NI);
DECLARE_MATRIX(C, NI, NI);

int main(void) {
  init_array(NI, NJ, ARRAY(A), ARRAY(B));
  kernel_product(NI, NJ, SCALAR_VAL(0.75), ARRAY(A), ARRAY(B), ARRAY(C));
  show("C", NI * NI, &C[0][0]);
  return 0;
}
