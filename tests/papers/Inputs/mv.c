// affine, Figure 3.
void mv(int n, float a[n][n], float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] += a[i][j] * y[j];
}
