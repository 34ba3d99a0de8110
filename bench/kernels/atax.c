// y = A^T (A x); t holds A x.
void atax(int m, int n, const float A[m][n], const float x[n], float t[m], float y[n]) {
  for (int j = 0; j < n; j++)
    y[j] = 0;
  for (int i = 0; i < m; i++) {
    t[i] = 0;
    for (int j = 0; j < n; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += A[i][j] * t[i];
  }
}
