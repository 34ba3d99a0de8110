// Each thread has a row; with --coalesce both, strips of the rows go through shared memory.
void scale(int n, int m, const float a[n][m], const float t[n], float b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i][j] * t[i];
}
