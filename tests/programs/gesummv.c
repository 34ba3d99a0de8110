// Sum of two matrix-vector products, flattened matrices: y = alpha*A*x + beta*B*x.
// int: yes
// extent: A n*n
// extent: B n*n
// extent: x n
// extent: y n
// extent: Ax n

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void gesummv(int n, DATA_TYPE alpha, DATA_TYPE beta, const DATA_TYPE *restrict A,
             const DATA_TYPE *restrict B, const DATA_TYPE *restrict x, DATA_TYPE *restrict y,
             DATA_TYPE *restrict Ax) {
  for (int i = 0; i < n; i++) {
    Ax[i] = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      Ax[i] += A[i * n + j] * x[j];
      y[i] += B[i * n + j] * x[j];
    }
    y[i] = alpha * Ax[i] + beta * y[i];
  }
}
