// No permutation of the loops coalesces a.
void wave(int n, float B[n][n], float a[2 * n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      B[i][j] = B[i - 1][j] + B[i][j - 1] + a[i + j][j];
}
