/* A function of a header with a directive in it. */
static inline void fill(int n, float *x) {
#pragma acc parallel loop present(x)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
