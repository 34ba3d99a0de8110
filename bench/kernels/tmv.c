// y = A^T x.
void tmv(int m, int n, const float A[m][n], const float x[m], float y[n]) {
  for (int j = 0; j < n; j++) {
    float sum = 0;
    for (int i = 0; i < m; i++)
      sum += A[i][j] * x[i];
    y[j] = sum;
  }
}
