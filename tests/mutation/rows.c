// Each thread has a row; with --coalesce both, strips of the rows go through shared memory.
void scale(int n, int m, const float a[n][m], const float t[n], float b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i][j] * t[i];
}

// The same of flattened arrays, of which only the elements of points are there.
void scale_flat(int n, int m, const float *a, const float *t, float *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i * m + j] = a[i * m + j] * t[i];
}

// Two arrays that are stored.
void halves(int n, int m, const float a[n][m], float b[n][m], float c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      b[i][j] = a[i][j] * 0.5f;
      c[i][j] = a[i][j] - 1;
    }
}

// In the order of the row.
void sums(int n, int m, const float a[n][m], float b[n][m]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++) {
      sum += a[i][j];
      b[i][j] = sum;
    }
  }
}
