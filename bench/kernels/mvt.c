// x1 += A y1 and x2 += A^T y2.
void mvt(int n, const float A[n][n], const float y1[n], const float y2[n], float x1[n], float x2[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x1[i] += A[i][j] * y1[j];

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x2[i] += A[j][i] * y2[j];
}
